-- Which cohorts a question is about. Every filter is optional (NULL: any).
SELECT c.id
FROM cohort c
JOIN environment e ON e.id = c.environment_id
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
WHERE (:hardware IS NULL OR e.hardware_id IN (SELECT value FROM json_each(:hardware)))
  AND (:operation IS NULL OR o.id IN (SELECT value FROM json_each(:operation)))
  AND (:workload IS NULL OR w.id IN (SELECT value FROM json_each(:workload)))
  AND (:suite IS NULL OR o.suite = :suite)
  AND (:suite_version IS NULL OR o.suite_version = :suite_version)
  AND (:level IS NULL OR o.level = :level)
  AND (:family IS NULL OR o.family = :family)
  AND (:dtype IS NULL OR w.dtype = :dtype)
  AND (:metric IS NULL OR c.metric = :metric);
