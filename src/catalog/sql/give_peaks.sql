-- Given figures of a product: its row, where they are from, then the columns of the file.
INSERT INTO given_peaks (
    hardware_id, source, memory_gb, bandwidth_gbs, fp64, fp64_tensor, fp32, tf32_tensor,
    fp16_tensor, bf16_tensor, fp8_tensor, int8_tensor, fp4_tensor, units, boost_mhz, l2_mib,
    llc_mib
) VALUES (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, CAST(?14 AS INTEGER), ?15, ?16, ?17
);
