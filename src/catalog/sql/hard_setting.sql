-- What bears on the floors of a cohort's runs; nothing where its shapes aren't
-- known or no time is measured.
SELECT w.input_bytes, w.dtype, w.work, p.cache, h.slug AS product,
       h.bandwidth_gbs, h.fp64, h.fp64_tensor, h.fp32, h.tf32_tensor, h.fp16_tensor,
       h.bf16_tensor, h.fp8_tensor, h.int8_tensor, h.fp4_tensor, h.l2_mib, h.llc_mib,
       h.confidence, h.capability, h.units, h.boost_mhz
FROM cohort c
JOIN workload w ON w.id = c.workload_id
JOIN operation o ON o.id = w.operation_id
JOIN environment e ON e.id = c.environment_id
JOIN hardware h ON h.id = e.hardware_id
JOIN protocol p ON p.id = c.protocol_id
WHERE c.id = :cohort AND o.shapes_known AND c.quantity = 'latency';
