-- A product with all that its table says.
SELECT slug, short, family, vendor, product, form_factor, architecture, capability,
       memory_gb, bandwidth_gbs, fp64, fp64_tensor, fp32, tf32_tensor, fp16_tensor,
       bf16_tensor, fp8_tensor, int8_tensor, fp4_tensor, units, boost_mhz, l2_mib,
       llc_mib, tdp_w, announced, given, confidence, peak_source, notes, listed
FROM v_hardware
WHERE id = :hardware;
