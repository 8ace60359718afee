-- The runs of one workload on the products of one family, in any environment; those in a doubtful unit
-- or retracted say nothing about shapes.
SELECT m.id, m.implementation_id, e.hardware_id, m.value,
       CAST(w.input_bytes AS REAL) AS input_bytes, h.bandwidth_gbs,
       (h.l2_mib + coalesce(h.llc_mib, 0)) * 1048576.0 AS cache_bytes
FROM cohort c
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
JOIN workload w ON w.id = c.workload_id
JOIN measurement m ON m.cohort_id = c.id
WHERE c.workload_id = :workload AND c.quantity = 'latency' AND coalesce(h.family, h.slug) = :kin
  AND m.copy_of IS NULL AND m.value IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM doubt d
                  WHERE d.measurement_id = m.id AND d.code = 'UNIT_DOUBTED')
  AND NOT EXISTS (SELECT 1 FROM event v
                  WHERE v.measurement_id = m.id AND v.kind = 'retract')
ORDER BY m.digest;
