-- Every run on one product with the readings that state it, for comparing magnitudes.
-- The key names a reading by its content and context, whatever the order of imports.
SELECT o.suite, r.id AS reading_id, r.unit_declared,
       sn.sha256 || ' ' || coalesce(r.folder, '') || '/' || coalesce(r.file, '')
           || ' ' || r.declared AS reading_key,
       o.level || '/' || o.file AS problem,
       CASE WHEN o.shapes_known THEN w.digest END AS workload,
       m.id AS measurement_id, m.value
FROM environment e
JOIN cohort c ON c.environment_id = e.id
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
JOIN measurement m ON m.cohort_id = c.id
JOIN sighting s ON s.measurement_id = m.id
JOIN reading r ON r.id = s.reading_id
JOIN snapshot sn ON sn.id = r.snapshot_id
WHERE e.hardware_id = :hardware AND o.inferred AND c.quantity = 'latency' AND m.copy_of IS NULL AND m.value IS NOT NULL
ORDER BY r.id, s.ordinal;
