-- Every product, with the peaks that its table says.
SELECT id, slug, short, family, vendor, product, form_factor, architecture, capability,
       units, boost_mhz, memory_gb,
       bandwidth_gbs, fp64, fp64_tensor, fp32, tf32_tensor, fp16_tensor, bf16_tensor,
       fp8_tensor, int8_tensor, fp4_tensor, l2_mib, llc_mib, given, confidence, listed
FROM v_hardware
WHERE :hardware IS NULL OR id IN (SELECT value FROM json_each(:hardware))
ORDER BY vendor IS NULL, vendor, family IS NULL, family, slug;
