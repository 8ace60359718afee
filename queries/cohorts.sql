-- What cohorts are: operation, workload, hardware, environment, protocol.
SELECT c.id, c.digest, c.metric,
       o.id AS operation_id, o.digest AS operation_digest, o.slug, o.name, o.suite,
       o.suite_version, o.level, o.level_number, o.problem, o.file, o.family,
       o.shapes_known, o.facts,
       coalesce(sv.current, 0) AS is_current,
       w.id AS workload_id, w.digest AS workload_digest, w.summary, w.axes, w.dtype,
       w.input_bytes,
       h.id AS hardware_id, h.slug AS hardware, h.short, h.product, h.family AS hardware_family,
       h.bandwidth_gbs, h.fp64, h.fp64_tensor, h.fp32, h.tf32_tensor, h.fp16_tensor,
       h.bf16_tensor, h.fp8_tensor, h.int8_tensor, h.fp4_tensor, h.l2_mib, h.llc_mib,
       h.confidence,
       e.digest AS environment_digest, e.provider, e.software,
       p.digest AS protocol_digest, p.harness, p.statistic, p.timer, p.warmups, p.cache,
       p.precision, p.autograd
FROM json_each(:cohorts) AS wanted
JOIN cohort c ON c.id = wanted.value
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
LEFT JOIN suite_version sv ON sv.suite = o.suite AND sv.version = o.suite_version
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
JOIN protocol p ON p.id = c.protocol_id;
