-- A product of the built-in table; an unlisted one of the same slug becomes listed.
INSERT INTO hardware (
    slug, short, family, vendor, product, form_factor, architecture, capability,
    memory_gb, bandwidth_gbs, fp64, fp64_tensor, fp32, tf32_tensor, fp16_tensor,
    bf16_tensor, fp8_tensor, int8_tensor, fp4_tensor, units, boost_mhz, l2_mib, llc_mib,
    tdp_w, announced, confidence, peak_source, notes, listed
) VALUES (
    :slug, :short, :family, :vendor, :product, :form_factor, :architecture, :capability,
    :memory_gb, :bandwidth_gbs, :fp64, :fp64_tensor, :fp32, :tf32_tensor, :fp16_tensor,
    :bf16_tensor, :fp8_tensor, :int8_tensor, :fp4_tensor, :units, :boost_mhz, :l2_mib,
    :llc_mib, :tdp_w, :announced, :confidence, :peak_source, :notes, 1
)
ON CONFLICT (slug) DO UPDATE SET
    short = excluded.short, family = excluded.family, vendor = excluded.vendor, product
    = excluded.product, form_factor = excluded.form_factor, architecture =
    excluded.architecture, capability = excluded.capability, memory_gb =
    excluded.memory_gb, bandwidth_gbs = excluded.bandwidth_gbs, fp64 = excluded.fp64,
    fp64_tensor = excluded.fp64_tensor, fp32 = excluded.fp32, tf32_tensor =
    excluded.tf32_tensor, fp16_tensor = excluded.fp16_tensor, bf16_tensor =
    excluded.bf16_tensor, fp8_tensor = excluded.fp8_tensor, int8_tensor =
    excluded.int8_tensor, fp4_tensor = excluded.fp4_tensor, units = excluded.units,
    boost_mhz = excluded.boost_mhz, l2_mib = excluded.l2_mib, llc_mib =
    excluded.llc_mib, tdp_w = excluded.tdp_w, announced = excluded.announced, confidence
    = excluded.confidence, peak_source = excluded.peak_source, notes = excluded.notes,
    listed = excluded.listed;
