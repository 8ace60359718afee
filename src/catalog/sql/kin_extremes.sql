-- The largest and the smallest figure of each implementation in each cohort on the products
-- of one family. CROSS JOIN keeps the order: from the
-- products outwards, so that both extremes come from the index.
SELECT * FROM (
    SELECT c.id AS cohort_id, i.id AS implementation_id,
           (SELECT min(m.value) FROM measurement m
            WHERE m.cohort_id = c.id AND m.implementation_id = i.id) AS smallest,
           (SELECT max(m.value) FROM measurement m
            WHERE m.cohort_id = c.id AND m.implementation_id = i.id) AS largest
    FROM hardware h
    CROSS JOIN environment e ON e.hardware_id = h.id
    CROSS JOIN cohort c ON c.environment_id = e.id AND c.quantity = 'latency'
    CROSS JOIN implementation i
    WHERE coalesce(h.family, h.slug) = :kin
) WHERE smallest IS NOT NULL;
