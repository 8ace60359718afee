-- Every reading of a suite's results, which are kept a machine a folder, by the products
-- that its timed records name, each with the first of its runs (a copy is the run it
-- repeats), which SQLite takes from the row that holds the least digest. CROSS JOIN keeps
-- the order: from the readings outwards, by index.
SELECT f.reading_id, f.snapshot, f.folder, f.hardware_id, h.product,
       coalesce(h.family, h.slug) AS family, f.records, f.run
FROM (
    SELECT r.id AS reading_id, sn.sha256 AS snapshot, r.folder, e.hardware_id,
           count(*) AS records, coalesce(m.copy_of, m.id) AS run,
           min(coalesce(original.digest, m.digest))
    FROM reading r
    CROSS JOIN snapshot sn ON sn.id = r.snapshot_id
    CROSS JOIN sighting si ON si.reading_id = r.id
    CROSS JOIN measurement m ON m.id = si.measurement_id
    CROSS JOIN cohort c ON c.id = m.cohort_id
    CROSS JOIN workload w ON w.id = c.workload_id
    CROSS JOIN operation o ON o.id = w.operation_id
    CROSS JOIN environment e ON e.id = c.environment_id
    LEFT JOIN measurement original ON original.id = m.copy_of
    WHERE o.inferred AND m.value IS NOT NULL AND (:known_at IS NULL OR r.learned_at <= :known_at)
    GROUP BY r.id, e.hardware_id
) AS f
CROSS JOIN hardware h ON h.id = f.hardware_id;
