-- The first few of some cohorts in the order of listings.
SELECT c.id
FROM json_each(:cohorts) AS wanted
JOIN cohort c ON c.id = wanted.value
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
ORDER BY o.suite, o.level_number IS NULL, o.level_number, o.level, o.problem IS NULL, o.problem,
         o.file, o.digest, h.slug, e.provider, c.digest
LIMIT :limit;
