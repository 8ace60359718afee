-- The runs of one cohort with all that bears on ranking them: all of them, or those that
-- stand and some new ones (:new, a JSON array). Copies are not runs; an acknowledged doubt
-- is none.
SELECT m.id, m.digest, m.implementation_id, m.status,
       m.value, m.std, m.min, m.max, m.low, m.high, m.samples, m.resolution,
       m.observed_at, m.observed_basis,
       i.role = 'baseline' AS is_baseline, q.direction = 'higher' AS more_is_better,
       EXISTS (SELECT 1 FROM event e
               WHERE e.measurement_id = m.id AND e.kind = 'retract') AS retracted,
       coalesce((SELECT group_concat(d.code) FROM doubt d
                 WHERE d.measurement_id = m.id
                   AND NOT EXISTS (SELECT 1 FROM event a
                                   WHERE a.measurement_id = m.id AND a.kind = 'acknowledge'
                                     AND a.rule IN ('*', d.code))), '') AS doubts
FROM (
    SELECT id FROM measurement WHERE cohort_id = :cohort AND :new IS NULL
    UNION SELECT measurement_id FROM standing WHERE cohort_id = :cohort
    UNION SELECT value FROM json_each(:new)
) AS wanted
JOIN measurement m ON m.id = wanted.id
JOIN implementation i ON i.id = m.implementation_id
JOIN cohort c ON c.id = m.cohort_id
JOIN metric q ON q.name = c.quantity
WHERE m.copy_of IS NULL;
