//! Layers that one operation does.

use super::conv::{conv, convolve, convolve_transposed, transposed};
use super::norms::{batch_norm, group_norm, layer_norm, normalise_batch, normalise_instance};
use super::{Row, dtype, flag, int, layer, own, parameter, per_dim, plain};
use crate::eval::args::{Args, Signature};
use crate::eval::object::InstanceId;
use crate::eval::{Evaluator, Object, Outcome, Reason};
use crate::ops;
use crate::value::DType;

const POOL: &str =
    "kernel_size stride=None padding=0 dilation=1 return_indices=False ceil_mode=False";
const LOSS: &str = "size_average=None reduce=None reduction=mean";
const WEIGHTED: &str = "weight=None size_average=None reduce=None reduction=mean";
const CONV: &str = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True padding_mode=zeros dtype=None";
const TRANSPOSED: &str = "in_channels out_channels kernel_size stride=1 padding=0 output_padding=0 groups=1 bias=True dilation=1 padding_mode=zeros dtype=None";
const BATCH: &str =
    "num_features eps=1e-5 momentum=0.1 affine=True track_running_stats=True dtype=None";
const INSTANCE: &str =
    "num_features eps=1e-5 momentum=0.1 affine=False track_running_stats=False dtype=None";

pub(super) const TABLE: &[Row] = &[
    plain("ReLU", "inplace=False", "torch.nn.functional.relu"),
    plain("ReLU6", "inplace=False", "torch.nn.functional.relu6"),
    plain("SELU", "inplace=False", "torch.nn.functional.selu"),
    plain("SiLU", "inplace=False", "torch.nn.functional.silu"),
    plain("Mish", "inplace=False", "torch.nn.functional.mish"),
    plain(
        "Hardswish",
        "inplace=False",
        "torch.nn.functional.hardswish",
    ),
    plain(
        "Hardsigmoid",
        "inplace=False",
        "torch.nn.functional.hardsigmoid",
    ),
    plain("ELU", "alpha=1.0 inplace=False", "torch.nn.functional.elu"),
    plain(
        "CELU",
        "alpha=1.0 inplace=False",
        "torch.nn.functional.celu",
    ),
    plain(
        "LeakyReLU",
        "negative_slope=0.01 inplace=False",
        "torch.nn.functional.leaky_relu",
    ),
    plain(
        "RReLU",
        "lower=0.125 upper=0.3333 inplace=False",
        "torch.nn.functional.rrelu",
    ),
    plain(
        "Threshold",
        "threshold value inplace=False",
        "torch.nn.functional.threshold",
    ),
    plain(
        "Hardtanh",
        "min_val=-1.0 max_val=1.0 inplace=False min_value=None max_value=None",
        "torch.nn.functional.hardtanh",
    ),
    plain("GELU", "approximate=none", "torch.nn.functional.gelu"),
    plain(
        "Softplus",
        "beta=1.0 threshold=20.0",
        "torch.nn.functional.softplus",
    ),
    plain("Softsign", "", "torch.nn.functional.softsign"),
    plain("Tanhshrink", "", "torch.nn.functional.tanhshrink"),
    plain("LogSigmoid", "", "torch.nn.functional.logsigmoid"),
    plain("Hardshrink", "lambd=0.5", "torch.nn.functional.hardshrink"),
    plain("Softshrink", "lambd=0.5", "torch.nn.functional.softshrink"),
    plain("Sigmoid", "", "torch.sigmoid"),
    plain("Tanh", "", "torch.tanh"),
    plain("GLU", "dim=-1", "torch.nn.functional.glu"),
    plain(
        "Softmax Softmax1d",
        "dim=None",
        "torch.nn.functional.softmax",
    ),
    plain("LogSoftmax", "dim=None", "torch.nn.functional.log_softmax"),
    plain("Softmin", "dim=None", "torch.nn.functional.softmin"),
    layer("Softmax2d", "", None, softmax2d),
    plain(
        "Dropout",
        "p=0.5 inplace=False",
        "torch.nn.functional.dropout",
    ),
    plain(
        "Dropout1d Dropout2d Dropout3d",
        "p=0.5 inplace=False",
        "torch.nn.functional.dropout2d",
    ),
    plain(
        "AlphaDropout FeatureAlphaDropout",
        "p=0.5 inplace=False",
        "torch.nn.functional.alpha_dropout",
    ),
    layer("Identity", "*args **keywords", None, identity),
    plain("Flatten", "start_dim=1 end_dim=-1", "torch.flatten"),
    layer("Unflatten", "dim unflattened_size", None, unflatten),
    plain(
        "PixelShuffle",
        "upscale_factor",
        "torch.nn.functional.pixel_shuffle",
    ),
    plain(
        "PixelUnshuffle",
        "downscale_factor",
        "torch.nn.functional.pixel_unshuffle",
    ),
    plain(
        "ChannelShuffle",
        "groups",
        "torch.nn.functional.channel_shuffle",
    ),
    plain(
        "Upsample",
        "size=None scale_factor=None mode=nearest align_corners=None recompute_scale_factor=None",
        "torch.nn.functional.interpolate",
    ),
    plain(
        "UpsamplingNearest2d",
        "size=None scale_factor=None",
        "torch.nn.functional.interpolate",
    ),
    plain(
        "UpsamplingBilinear2d",
        "size=None scale_factor=None",
        "torch.nn.functional.interpolate",
    ),
    plain(
        "Unfold",
        "kernel_size dilation=1 padding=0 stride=1",
        "torch.nn.functional.unfold",
    ),
    plain(
        "Fold",
        "output_size kernel_size dilation=1 padding=0 stride=1",
        "torch.nn.functional.fold",
    ),
    plain("MaxPool1d", POOL, "torch.nn.functional.max_pool1d"),
    plain("MaxPool2d", POOL, "torch.nn.functional.max_pool2d"),
    plain("MaxPool3d", POOL, "torch.nn.functional.max_pool3d"),
    plain(
        "AvgPool1d",
        "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True",
        "torch.nn.functional.avg_pool1d",
    ),
    plain(
        "AvgPool2d",
        "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True divisor_override=None",
        "torch.nn.functional.avg_pool2d",
    ),
    plain(
        "AvgPool3d",
        "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True divisor_override=None",
        "torch.nn.functional.avg_pool3d",
    ),
    plain(
        "LPPool1d",
        "norm_type kernel_size stride=None ceil_mode=False",
        "torch.nn.functional.lp_pool1d",
    ),
    plain(
        "LPPool2d",
        "norm_type kernel_size stride=None ceil_mode=False",
        "torch.nn.functional.lp_pool2d",
    ),
    plain(
        "LPPool3d",
        "norm_type kernel_size stride=None ceil_mode=False",
        "torch.nn.functional.lp_pool3d",
    ),
    plain(
        "AdaptiveAvgPool1d",
        "output_size",
        "torch.nn.functional.adaptive_avg_pool1d",
    ),
    plain(
        "AdaptiveAvgPool2d",
        "output_size",
        "torch.nn.functional.adaptive_avg_pool2d",
    ),
    plain(
        "AdaptiveAvgPool3d",
        "output_size",
        "torch.nn.functional.adaptive_avg_pool3d",
    ),
    plain(
        "AdaptiveMaxPool1d",
        "output_size return_indices=False",
        "torch.nn.functional.adaptive_max_pool1d",
    ),
    plain(
        "AdaptiveMaxPool2d",
        "output_size return_indices=False",
        "torch.nn.functional.adaptive_max_pool2d",
    ),
    plain(
        "AdaptiveMaxPool3d",
        "output_size return_indices=False",
        "torch.nn.functional.adaptive_max_pool3d",
    ),
    plain(
        "MaxUnpool1d",
        "kernel_size stride=None padding=0",
        "torch.nn.functional.max_unpool1d",
    ),
    plain(
        "MaxUnpool2d",
        "kernel_size stride=None padding=0",
        "torch.nn.functional.max_unpool2d",
    ),
    plain(
        "MaxUnpool3d",
        "kernel_size stride=None padding=0",
        "torch.nn.functional.max_unpool3d",
    ),
    layer(
        "ZeroPad1d ReflectionPad1d ReplicationPad1d CircularPad1d",
        "padding",
        None,
        pad,
    ),
    layer(
        "ZeroPad2d ReflectionPad2d ReplicationPad2d CircularPad2d",
        "padding",
        None,
        pad,
    ),
    layer(
        "ZeroPad3d ReflectionPad3d ReplicationPad3d CircularPad3d",
        "padding",
        None,
        pad,
    ),
    layer(
        "ConstantPad1d ConstantPad2d ConstantPad3d",
        "padding value",
        None,
        pad,
    ),
    plain(
        "LocalResponseNorm",
        "size alpha=0.0001 beta=0.75 k=1.0",
        "torch.nn.functional.local_response_norm",
    ),
    plain(
        "CosineSimilarity",
        "dim=1 eps=1e-8",
        "torch.nn.functional.cosine_similarity",
    ),
    plain(
        "PairwiseDistance",
        "p=2.0 eps=1e-6 keepdim=False",
        "torch.nn.functional.pairwise_distance",
    ),
    plain("MSELoss", LOSS, "torch.nn.functional.mse_loss"),
    plain("L1Loss", LOSS, "torch.nn.functional.l1_loss"),
    plain(
        "SmoothL1Loss",
        "size_average=None reduce=None reduction=mean beta=1.0",
        "torch.nn.functional.smooth_l1_loss",
    ),
    plain(
        "HuberLoss",
        "reduction=mean delta=1.0",
        "torch.nn.functional.huber_loss",
    ),
    plain(
        "SoftMarginLoss",
        LOSS,
        "torch.nn.functional.soft_margin_loss",
    ),
    plain(
        "KLDivLoss",
        "size_average=None reduce=None reduction=mean log_target=False",
        "torch.nn.functional.kl_div",
    ),
    plain(
        "BCELoss",
        WEIGHTED,
        "torch.nn.functional.binary_cross_entropy",
    ),
    plain(
        "BCEWithLogitsLoss",
        "weight=None size_average=None reduce=None reduction=mean pos_weight=None",
        "torch.nn.functional.binary_cross_entropy_with_logits",
    ),
    plain(
        "PoissonNLLLoss",
        "log_input=True full=False size_average=None eps=1e-8 reduce=None reduction=mean",
        "torch.nn.functional.poisson_nll_loss",
    ),
    plain(
        "GaussianNLLLoss",
        "full=False eps=1e-6 reduction=mean",
        "torch.nn.functional.gaussian_nll_loss",
    ),
    plain(
        "HingeEmbeddingLoss",
        "margin=1.0 size_average=None reduce=None reduction=mean",
        "torch.nn.functional.hinge_embedding_loss",
    ),
    plain(
        "CrossEntropyLoss",
        "weight=None size_average=None ignore_index=-100 reduce=None reduction=mean label_smoothing=0.0",
        "torch.nn.functional.cross_entropy",
    ),
    plain(
        "NLLLoss",
        "weight=None size_average=None ignore_index=-100 reduce=None reduction=mean",
        "torch.nn.functional.nll_loss",
    ),
    plain(
        "TripletMarginLoss",
        "margin=1.0 p=2.0 eps=1e-6 swap=False size_average=None reduce=None reduction=mean",
        "torch.nn.functional.triplet_margin_loss",
    ),
    plain(
        "MarginRankingLoss",
        "margin=0.0 size_average=None reduce=None reduction=mean",
        "torch.nn.functional.margin_ranking_loss",
    ),
    plain(
        "CosineEmbeddingLoss",
        "margin=0.0 size_average=None reduce=None reduction=mean",
        "torch.nn.functional.cosine_embedding_loss",
    ),
    plain(
        "MultiMarginLoss",
        "p=1 margin=1.0 weight=None size_average=None reduce=None reduction=mean",
        "torch.nn.functional.multi_margin_loss",
    ),
    plain(
        "MultiLabelSoftMarginLoss MultiLabelMarginLoss",
        WEIGHTED,
        "torch.nn.functional.multilabel_soft_margin_loss",
    ),
    Row {
        build: Some(linear),
        ..plain(
            "Linear",
            "in_features out_features bias=True dtype=None",
            "torch.nn.functional.linear",
        )
    },
    Row {
        build: Some(prelu),
        ..plain(
            "PReLU",
            "num_parameters=1 init=0.25 dtype=None",
            "torch.nn.functional.prelu",
        )
    },
    layer(
        "Embedding",
        "num_embeddings embedding_dim padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False _weight=None _freeze=False dtype=None",
        Some(embedding),
        embed,
    ),
    layer(
        "EmbeddingBag",
        "num_embeddings embedding_dim max_norm=None norm_type=2.0 scale_grad_by_freq=False mode=mean sparse=False _weight=None include_last_offset=False padding_idx=None dtype=None",
        Some(embedding),
        embed_bag,
    ),
    layer("Conv1d Conv2d Conv3d", CONV, Some(conv), convolve),
    layer(
        "ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        TRANSPOSED,
        Some(transposed),
        convolve_transposed,
    ),
    layer(
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm",
        BATCH,
        Some(batch_norm),
        normalise_batch,
    ),
    layer(
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d",
        INSTANCE,
        Some(batch_norm),
        normalise_instance,
    ),
    Row {
        build: Some(group_norm),
        ..plain(
            "GroupNorm",
            "num_groups num_channels eps=1e-5 affine=True dtype=None",
            "torch.nn.functional.group_norm",
        )
    },
    Row {
        build: Some(layer_norm),
        ..plain(
            "LayerNorm",
            "normalized_shape eps=1e-5 elementwise_affine=True bias=True dtype=None",
            "torch.nn.functional.layer_norm",
        )
    },
    Row {
        build: Some(layer_norm),
        ..plain(
            "RMSNorm",
            "normalized_shape eps=None elementwise_affine=True dtype=None",
            "torch.nn.functional.rms_norm",
        )
    },
];

/// The arguments of a `forward`.
pub(super) fn bind(
    signature: &'static str,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Result<Args, Reason> {
    Signature::parse(signature).bind(args, keywords)
}

/// Number of spatial dimensions of a layer: the digit in its name.
pub(super) fn spatial(evaluator: &Evaluator<'_>, id: InstanceId) -> usize {
    let name = evaluator.heap.instance_of(id).builtin.unwrap_or("");
    name.chars()
        .find_map(|c| c.to_digit(10))
        .and_then(|digit| usize::try_from(digit).ok())
        .unwrap_or(1)
}

fn softmax2d(
    evaluator: &mut Evaluator<'_>,
    _: InstanceId,
    args: Vec<Object>,
    _: Vec<(String, Object)>,
) -> Outcome {
    ops::call(
        evaluator,
        "torch.softmax",
        args,
        vec![("dim", Object::int(-3))],
    )
}

fn identity(
    _: &mut Evaluator<'_>,
    _: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    Ok(bind("input", args, keywords)?.get("input").clone())
}

fn unflatten(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    _: Vec<(String, Object)>,
) -> Outcome {
    let (dim, sizes) = (
        own(evaluator, id, "dim"),
        own(evaluator, id, "unflattened_size"),
    );
    ops::call(
        evaluator,
        "torch.unflatten",
        args,
        vec![("dim", dim), ("sizes", sizes)],
    )
}

fn pad(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    mut args: Vec<Object>,
    _: Vec<(String, Object)>,
) -> Outcome {
    let dims = spatial(evaluator, id);
    let padding = own(evaluator, id, "padding");
    let pads = per_dim(evaluator, &padding, 2 * dims)?;
    let pads = pads.into_iter().map(Object::int).collect();
    args.push(evaluator.heap.list(pads));
    ops::call(evaluator, "torch.nn.functional.pad", args, Vec::new())
}

fn linear(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let (inputs, outputs) = (int(args, "in_features")?, int(args, "out_features")?);
    let dtype = dtype(evaluator, args)?;
    parameter(evaluator, id, "weight", &[outputs, inputs], dtype)?;
    bias(evaluator, id, args, outputs, dtype)
}

/// The bias of a layer that may have none.
pub(super) fn bias(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: &Args,
    size: i64,
    dtype: DType,
) -> Result<(), Reason> {
    if flag(evaluator, args, "bias")? {
        return parameter(evaluator, id, "bias", &[size], dtype);
    }
    evaluator.set_attribute(id, "bias", Object::None);
    Ok(())
}

fn prelu(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let dtype = dtype(evaluator, args)?;
    parameter(
        evaluator,
        id,
        "weight",
        &[int(args, "num_parameters")?],
        dtype,
    )
}

fn embedding(evaluator: &mut Evaluator<'_>, id: InstanceId, args: &Args) -> Result<(), Reason> {
    let dtype = dtype(evaluator, args)?;
    let shape = [int(args, "num_embeddings")?, int(args, "embedding_dim")?];
    parameter(evaluator, id, "weight", &shape, dtype)
}

fn embed(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    mut args: Vec<Object>,
    _: Vec<(String, Object)>,
) -> Outcome {
    args.push(own(evaluator, id, "weight"));
    ops::call(evaluator, "torch.nn.functional.embedding", args, Vec::new())
}

fn embed_bag(
    evaluator: &mut Evaluator<'_>,
    id: InstanceId,
    args: Vec<Object>,
    keywords: Vec<(String, Object)>,
) -> Outcome {
    let args = bind("input offsets=None", args, keywords)?;
    let weight = own(evaluator, id, "weight");
    let given = vec![
        args.get("input").clone(),
        weight,
        args.get("offsets").clone(),
    ];
    ops::call(
        evaluator,
        "torch.nn.functional.embedding_bag",
        given,
        Vec::new(),
    )
}
