-- Which cohorts a question is about. Every filter is optional (NULL: any). CROSS JOIN keeps
-- the order: environments are few, and the hardware is what most questions name. Workloads
-- are only looked at where a filter concerns them.
SELECT c.id
FROM environment e
CROSS JOIN cohort c ON c.environment_id = e.id
WHERE (:hardware IS NULL OR e.hardware_id IN (SELECT value FROM json_each(:hardware)))
  AND (:metric IS NULL OR :metric IN (c.quantity, c.metric))
  AND (coalesce(:operation, :workload, :suite, :suite_version, :level, :family, :dtype) IS NULL
       OR EXISTS (SELECT 1 FROM workload w JOIN operation o ON o.id = w.operation_id
                  WHERE w.id = c.workload_id
                    AND (:operation IS NULL OR o.id IN (SELECT value FROM json_each(:operation)))
                    AND (:workload IS NULL OR w.id IN (SELECT value FROM json_each(:workload)))
                    AND (:suite IS NULL OR o.suite = :suite)
                    AND (:suite_version IS NULL OR o.suite_version = :suite_version)
                    AND (:level IS NULL OR o.level = :level)
                    AND (:family IS NULL OR o.family = :family)
                    AND (:dtype IS NULL OR w.dtype = :dtype)));
