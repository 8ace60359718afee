-- A run that an event is about, or the run that it is a copy of.
SELECT m.id, 'run:' || lower(hex(m.digest)) AS run, m.cohort_id,
       o.slug AS operation, h.product,
       CASE WHEN asked.copy_of IS NOT NULL
            THEN 'run:' || lower(hex(asked.digest)) END AS copy
FROM measurement asked
JOIN measurement m ON m.id = coalesce(asked.copy_of, asked.id)
JOIN cohort c ON c.id = m.cohort_id
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
WHERE asked.id = :run;
