-- The runs of one cohort with all that bears on ranking them. Copies are not runs.
SELECT m.id, m.digest, m.implementation_id, m.status,
       m.value_ps, m.std_ps, m.min_ps, m.max_ps, m.samples, m.resolution_ps,
       m.observed_at, m.observed_basis,
       i.role = 'baseline' AS is_baseline,
       EXISTS (SELECT 1 FROM event e
               WHERE e.measurement_id = m.id AND e.kind = 'retract') AS retracted,
       coalesce((SELECT group_concat(d.code) FROM doubt d
                 WHERE d.measurement_id = m.id), '') AS doubts
FROM measurement m
JOIN implementation i ON i.id = m.implementation_id
WHERE m.cohort_id = :cohort AND m.copy_of IS NULL;
