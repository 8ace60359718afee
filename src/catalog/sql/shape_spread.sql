-- Of a workload on the products of a family: how many times larger is the largest figure of
-- an implementation on a product than its smallest, and how does the smallest compare with
-- the time that the declared inputs take at the DRAM peak?
SELECT max(largest * 1.0 / smallest) AS spread,
       min(smallest / (input_bytes / bandwidth_gbs * 1e3)) AS least
FROM (
    SELECT max((SELECT max(m.value) FROM measurement m
                WHERE m.cohort_id = c.id AND m.implementation_id = i.id)) AS largest,
           min((SELECT min(m.value) FROM measurement m
                WHERE m.cohort_id = c.id AND m.implementation_id = i.id)) AS smallest,
           w.input_bytes, h.bandwidth_gbs
    FROM cohort c
    CROSS JOIN workload w ON w.id = c.workload_id
    CROSS JOIN environment e ON e.id = c.environment_id
    CROSS JOIN hardware h ON h.id = e.hardware_id
    CROSS JOIN implementation i
    WHERE c.workload_id = :workload AND c.quantity = 'latency' AND coalesce(h.family, h.slug) = :kin
    GROUP BY h.id, i.id
);
