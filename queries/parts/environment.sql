-- An environment and its hardware.
SELECT h.slug AS hardware, h.short, h.product, h.family AS hardware_family,
       h.bandwidth_gbs, h.fp64, h.fp64_tensor, h.fp32, h.tf32_tensor, h.fp16_tensor,
       h.bf16_tensor, h.fp8_tensor, h.int8_tensor, h.fp4_tensor, h.l2_mib, h.llc_mib,
       h.confidence, h.capability, h.units, h.boost_mhz, h.given,
       e.digest AS environment_digest, e.provider, e.software
FROM environment e
JOIN v_hardware h ON h.id = e.hardware_id
WHERE e.id = :id;
