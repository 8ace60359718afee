-- Products with their peaks.
SELECT slug, concat_ws(' | ',
       quote(short), quote(family), quote(vendor), quote(product), quote(form_factor),
       quote(architecture), quote(capability), quote(memory_gb), quote(bandwidth_gbs),
       quote(fp64), quote(fp64_tensor), quote(fp32), quote(tf32_tensor),
       quote(fp16_tensor), quote(bf16_tensor), quote(fp8_tensor), quote(int8_tensor),
       quote(fp4_tensor), quote(units), quote(boost_mhz), quote(l2_mib), quote(llc_mib),
       quote(tdp_w), quote(announced), quote(confidence), quote(peak_source),
       quote(notes), quote(listed))
FROM hardware;
