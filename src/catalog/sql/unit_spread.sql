-- How many times larger is the largest figure of a problem on a product than its smallest,
-- at most, of the problems of some cohorts? In any version of the suite, any environment,
-- any configuration. CROSS JOIN keeps the order: from the touched cohorts outwards, by
-- index.
SELECT max(largest * 1.0 / smallest) AS spread
FROM (
    SELECT max((SELECT max(m.value) FROM measurement m
                WHERE m.cohort_id = c.id AND m.implementation_id = i.id)) AS largest,
           min((SELECT min(m.value) FROM measurement m
                WHERE m.cohort_id = c.id AND m.implementation_id = i.id)) AS smallest
    FROM json_each(:cohorts) AS wanted
    CROSS JOIN cohort touched ON touched.id = wanted.value
    CROSS JOIN workload tw ON tw.id = touched.workload_id
    CROSS JOIN operation problem ON problem.id = tw.operation_id AND problem.inferred
    CROSS JOIN operation o ON o.suite = problem.suite AND o.level = problem.level
                          AND o.file = problem.file
    CROSS JOIN workload w ON w.operation_id = o.id
    CROSS JOIN cohort c ON c.workload_id = w.id AND c.quantity = 'latency'
    CROSS JOIN environment e ON e.id = c.environment_id AND e.hardware_id = :hardware
    CROSS JOIN implementation i
    GROUP BY wanted.value
);
