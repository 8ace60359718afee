//! What kind of computation the kernels compute that more than one suite names.

/// Kernel names and what they compute; a name that isn't here is `unknown`, never guessed
/// from its parts.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "norm",
        &[
            "batch_norm",
            "dyt",
            "fused_add_rms_norm",
            "group_norm",
            "jagged_layer_norm",
            "layer_norm",
            "megatron_rms_norm",
            "modulated_rms_norm",
            "poly_norm",
            "rms_norm",
        ],
    ),
    (
        "loss",
        &[
            "cpo_loss",
            "cross_entropy",
            "distill_cosine_loss",
            "distill_jsd_loss",
            "dpo_loss",
            "fused_linear_cpo_loss",
            "fused_linear_cross_entropy",
            "fused_linear_dpo_loss",
            "fused_linear_grpo_loss_sequence",
            "fused_linear_grpo_loss_token",
            "fused_linear_jsd",
            "fused_linear_orpo_loss",
            "fused_linear_simpo_loss",
            "grpo_loss",
            "jsd",
            "kl_div",
            "kto_loss",
            "megatron_cross_entropy",
            "orpo_loss",
            "simpo_loss",
            "tvd",
        ],
    ),
    (
        "activation",
        &[
            "geglu",
            "megatron_swiglu",
            "relu_squared",
            "swiglu",
            "tiled_geglu",
            "tiled_swiglu",
        ],
    ),
    ("rope", &["llama4_rope", "qwen2vl_mrope", "rope"]),
    (
        "attention",
        &[
            "blackwell_attentions",
            "decoding_attention",
            "flash_attention",
            "flex_attention",
            "fp8_attention",
            "fused_neighborhood_attention",
            "multi_token_attention",
            "ragged_attention",
            "sparse_multi_token_attention",
        ],
    ),
    ("embedding", &["embedding"]),
    ("moe", &["fused_moe"]),
    (
        "softmax",
        &["jagged_softmax", "naive_softmax", "softmax", "sparsemax"],
    ),
    (
        "gemm",
        &[
            "addmm",
            "bf16xint16_gemm",
            "fp8_gemm",
            "fp8_gemm_blockwise",
            "fp8_gemm_rowwise",
            "fp8_gemm_rowwise_grouped",
            "gemm",
            "grouped_gemm",
            "int4_gemm",
        ],
    ),
    ("reduction", &["jagged_mean", "jagged_sum", "sum"]),
    ("elementwise", &["vector_add", "vector_exp"]),
];

/// What the kernel of that name computes, as far as its name alone is known to say.
pub(crate) fn of(kernel: &str) -> &'static str {
    FAMILIES
        .iter()
        .find(|(_, kernels)| kernels.contains(&kernel))
        .map_or("unknown", |(family, _)| family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_known() {
        let cases = [
            ("rms_norm", "norm"),
            ("fused_linear_cross_entropy", "loss"),
            ("tiled_swiglu", "activation"),
            ("gemm", "gemm"),
            ("band_norm", "unknown"),
            ("", "unknown"),
        ];
        for (kernel, family) in cases {
            assert_eq!(of(kernel), family, "{kernel}");
        }
    }
}
