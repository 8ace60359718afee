-- The figures of a cohort's runs that are below a limit or were doubted so far; copies are
-- not runs.
SELECT m.id, m.value, m.resolution, m.samples
FROM measurement m
WHERE m.cohort_id = :cohort AND m.copy_of IS NULL
  AND (m.value < :limit
       OR EXISTS (SELECT 1 FROM doubt d WHERE d.measurement_id = m.id AND d.code = :code))
  AND m.value IS NOT NULL;
