-- What the runs of a cohort are held against: problem, product, family, and the time its
-- declared inputs take at the product's DRAM peak (picoseconds; NULL: unknown).
SELECT o.suite, o.level, o.file, o.shapes_known AND o.inferred AS shapes_inferred, c.workload_id,
       e.hardware_id, coalesce(h.family, h.slug) AS kin,
       w.input_bytes / h.bandwidth_gbs * 1e3 AS inputs_ps
FROM cohort c
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
WHERE c.id = :cohort;
