-- Cohorts in which an implementation was measured.
SELECT DISTINCT cohort_id
FROM measurement
WHERE implementation_id = :implementation AND copy_of IS NULL;
