-- What cohorts are made of, as rows of their parts.
SELECT c.id, c.digest, c.metric, c.workload_id, c.environment_id, c.protocol_id, q.direction, q.parts
FROM json_each(:cohorts) AS wanted
JOIN cohort c ON c.id = wanted.value
JOIN metric q ON q.name = c.quantity;
