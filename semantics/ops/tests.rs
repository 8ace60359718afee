//! A row for each operation: what it gives and what it counts. The figures are what
//! PyTorch 2.15 gave for the same expressions.

use crate::{Understanding, understand};

/// Tensors the rows are written with.
const INPUTS: &str = "\
    torch.rand(2, 3, 4), torch.rand(4, 5), torch.rand(4, 4), torch.rand(4), \
    torch.randint(0, 3, (2, 3)), torch.rand(2, 4, 9, 8), torch.rand(1, 2, 5, 6, 7), \
    torch.rand(2, 4, 11), torch.rand(2, 3, 4) > 0, torch.rand(2, 3, 4).half(), torch.rand(6, 4)";

fn follow(expression: &str) -> Understanding {
    let text = format!(
        "
import torch, math
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, repeat, reduce
class Model(nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, a, b, m, v, i, img, vol, seq, mask, h, n):
        return {expression}
def get_inputs():
    return [{INPUTS}]
def get_init_inputs():
    return []
"
    );
    understand(text.as_bytes(), &[]).unwrap()
}

/// `fp32 [2, 3]; int64 [] | 24`: the results, and the work if there is some.
fn show(found: &Understanding) -> String {
    if !found.complete {
        return format!("incomplete: {:?}", found.unknown);
    }
    let outputs = found.outputs.iter().flatten();
    let outputs = outputs.map(|tensor| format!("{} {:?}", tensor.dtype, tensor.sizes()));
    let mut text = outputs.collect::<Vec<_>>().join("; ");
    if found.matrix.counted > 0 {
        text.push_str(" | ");
        text.push_str(&found.matrix.counted.to_string());
    }
    text
}

#[test]
fn each_operation_gives_what_pytorch_gives() {
    let wrong: Vec<String> = ROWS
        .iter()
        .filter_map(|(expression, expected)| {
            let found = show(&follow(expression));
            (found != *expected).then(|| format!("{expression}: {found}, not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_depends_on_elements_is_named() {
    for (expression, reason) in UNKNOWN {
        let found = follow(expression);
        assert!(!found.complete, "{expression}");
        let named = found
            .unknown
            .iter()
            .any(|unknown| unknown.line == Some(10) && unknown.reason.contains(reason));
        assert!(named, "{expression}: {:?}", found.unknown);
    }
}

const UNKNOWN: &[(&str, &str)] = &[
    ("a.item()", "depends on elements"),
    ("a[mask]", "depends on elements"),
    ("torch.nonzero(a)", "depends on elements"),
    ("torch.unique(i)", "depends on elements"),
    ("F.one_hot(i)", "depends on elements"),
    ("1 if a.sum() > 0 else 2", "depends on elements"),
    ("torch.unheard_of(a)", "no rule"),
    ("a.unheard_of()", "no rule"),
    ("nn.UnheardOf()(a)", "no rule"),
    ("F.relu(a, unheard_of=1)", "has no rule"),
    ("a.view(5, -1)", "don't divide"),
    ("a @ m.view(2, 8)", "differ"),
    ("a + seq", "broadcast"),
    ("a[5]", "out of range"),
    ("torch.cat([a, b])", "differ in shape"),
    ("torch.zeros(1 << 40, 1 << 40)", "64 bits"),
    ("v.expand(1 << 31, 1 << 31, 4)", "64 bits"),
];

const ROWS: &[(&str, &str)] = &[
    ("F.relu(a)", "fp32 [2, 3, 4]"),
    ("F.relu6(a)", "fp32 [2, 3, 4]"),
    ("torch.selu(a)", "fp32 [2, 3, 4]"),
    ("F.hardswish(a)", "fp32 [2, 3, 4]"),
    ("F.hardsigmoid(a)", "fp32 [2, 3, 4]"),
    ("F.silu(h)", "fp16 [2, 3, 4]"),
    ("F.mish(a)", "fp32 [2, 3, 4]"),
    ("-i", "int64 [2, 3]"),
    ("a.abs()", "fp32 [2, 3, 4]"),
    ("torch.sign(a)", "fp32 [2, 3, 4]"),
    ("torch.round(a)", "fp32 [2, 3, 4]"),
    ("torch.square(i)", "int64 [2, 3]"),
    ("F.elu(a, alpha=2.0)", "fp32 [2, 3, 4]"),
    ("F.celu(a)", "fp32 [2, 3, 4]"),
    ("F.leaky_relu(a, negative_slope=0.1)", "fp32 [2, 3, 4]"),
    ("F.threshold(a, 0.1, 20)", "fp32 [2, 3, 4]"),
    ("F.hardtanh(a, -2, 2)", "fp32 [2, 3, 4]"),
    ("F.gelu(a, approximate='tanh')", "fp32 [2, 3, 4]"),
    ("F.softplus(a)", "fp32 [2, 3, 4]"),
    ("F.softsign(a)", "fp32 [2, 3, 4]"),
    ("F.tanhshrink(a)", "fp32 [2, 3, 4]"),
    ("F.logsigmoid(a)", "fp32 [2, 3, 4]"),
    ("F.hardshrink(a)", "fp32 [2, 3, 4]"),
    ("F.prelu(a, torch.rand(3))", "fp32 [2, 3, 4]"),
    ("F.glu(a)", "fp32 [2, 3, 2]"),
    ("torch.clone(h)", "fp16 [2, 3, 4]"),
    ("a.transpose(1, 2).contiguous()", "fp32 [2, 4, 3]"),
    ("torch.clamp(a, 0, 1)", "fp32 [2, 3, 4]"),
    ("torch.clamp(i, min=0.5)", "fp32 [2, 3]"),
    ("a.clamp_min(0.1)", "fp32 [2, 3, 4]"),
    ("torch.logical_not(a)", "bool [2, 3, 4]"),
    ("~mask", "bool [2, 3, 4]"),
    ("torch.isnan(a)", "bool [2, 3, 4]"),
    ("torch.tril(m)", "fp32 [4, 4]"),
    ("torch.triu(m, diagonal=1)", "fp32 [4, 4]"),
    ("torch.exp(i)", "fp32 [2, 3]"),
    ("torch.sqrt(a)", "fp32 [2, 3, 4]"),
    ("torch.rsqrt(h)", "fp16 [2, 3, 4]"),
    ("torch.sin(a)", "fp32 [2, 3, 4]"),
    ("torch.sigmoid(i)", "fp32 [2, 3]"),
    ("torch.erf(a)", "fp32 [2, 3, 4]"),
    ("torch.log1p(a)", "fp32 [2, 3, 4]"),
    ("torch.reciprocal(a)", "fp32 [2, 3, 4]"),
    ("torch.softmax(a, dim=-1)", "fp32 [2, 3, 4]"),
    ("F.softmax(i, dim=0, dtype=torch.float32)", "fp32 [2, 3]"),
    ("F.log_softmax(a, dim=1)", "fp32 [2, 3, 4]"),
    ("torch.cumsum(i, dim=1)", "int64 [2, 3]"),
    ("torch.cumsum(mask, dim=1)", "int64 [2, 3, 4]"),
    ("torch.cumprod(a, dim=0)", "fp32 [2, 3, 4]"),
    ("torch.logcumsumexp(a, dim=0)", "fp32 [2, 3, 4]"),
    ("torch.cummax(a, dim=1)", "fp32 [2, 3, 4]; int64 [2, 3, 4]"),
    ("F.dropout(a, 0.5)", "fp32 [2, 3, 4]"),
    ("F.dropout(a, 0.0)", "fp32 [2, 3, 4]"),
    ("a.half()", "fp16 [2, 3, 4]"),
    ("mask.float()", "fp32 [2, 3, 4]"),
    ("i.to(torch.float16)", "fp16 [2, 3]"),
    ("a.to(h)", "fp16 [2, 3, 4]"),
    ("a.type_as(i)", "int64 [2, 3, 4]"),
    ("a.detach()", "fp32 [2, 3, 4]"),
    ("torch.diff(a, dim=1)", "fp32 [2, 2, 4]"),
    ("a + 1", "fp32 [2, 3, 4]"),
    ("h + a", "fp32 [2, 3, 4]"),
    ("h + 1.5", "fp16 [2, 3, 4]"),
    ("i + 1", "int64 [2, 3]"),
    ("i + 1.5", "fp32 [2, 3]"),
    ("i / 2", "fp32 [2, 3]"),
    ("i // 2", "int64 [2, 3]"),
    ("i % 2", "int64 [2, 3]"),
    ("1 - a", "fp32 [2, 3, 4]"),
    ("mask + mask", "bool [2, 3, 4]"),
    ("mask & mask", "bool [2, 3, 4]"),
    ("mask | (a > 1)", "bool [2, 3, 4]"),
    ("a ** 2", "fp32 [2, 3, 4]"),
    ("2 ** i", "int64 [2, 3]"),
    ("torch.pow(a, 3.0)", "fp32 [2, 3, 4]"),
    ("a + v", "fp32 [2, 3, 4]"),
    ("a * torch.rand(3, 1)", "fp32 [2, 3, 4]"),
    ("torch.sub(a, a, alpha=2)", "fp32 [2, 3, 4]"),
    ("torch.div(i, 2, rounding_mode='floor')", "int64 [2, 3]"),
    ("torch.maximum(a, v)", "fp32 [2, 3, 4]"),
    ("torch.minimum(i, i)", "int64 [2, 3]"),
    ("torch.atan2(a, v)", "fp32 [2, 3, 4]"),
    ("torch.xlogy(i, i)", "fp32 [2, 3]"),
    ("torch.eq(a, v)", "bool [2, 3, 4]"),
    ("a >= 0", "bool [2, 3, 4]"),
    ("a != v", "bool [2, 3, 4]"),
    ("torch.logical_and(a, mask)", "bool [2, 3, 4]"),
    ("torch.lerp(a, a, 0.5)", "fp32 [2, 3, 4]"),
    ("torch.addcmul(a, a, a, value=2)", "fp32 [2, 3, 4]"),
    ("torch.where(mask, a, 0.0)", "fp32 [2, 3, 4]"),
    ("torch.where(a > 0, a, v)", "fp32 [2, 3, 4]"),
    ("a.masked_fill(mask, float('-inf'))", "fp32 [2, 3, 4]"),
    ("torch.outer(v, v)", "fp32 [4, 4]"),
    (
        "torch.cross(torch.rand(2, 3), torch.rand(2, 3), dim=1)",
        "fp32 [2, 3]",
    ),
    ("a.view(6, 4)", "fp32 [6, 4]"),
    ("a.view(-1)", "fp32 [24]"),
    ("a.reshape(3, -1, 2)", "fp32 [3, 4, 2]"),
    ("a.transpose(0, 2).reshape(4, 6)", "fp32 [4, 6]"),
    ("a.view(2, -1, 1, 4)", "fp32 [2, 3, 1, 4]"),
    ("torch.flatten(img, 1)", "fp32 [2, 288]"),
    ("torch.flatten(a, 0, 1)", "fp32 [6, 4]"),
    ("a.unflatten(2, (2, 2))", "fp32 [2, 3, 2, 2]"),
    ("torch.rand(1, 3, 1).squeeze()", "fp32 [3]"),
    ("torch.rand(1, 3, 1).squeeze(0)", "fp32 [3, 1]"),
    ("a.unsqueeze(-1)", "fp32 [2, 3, 4, 1]"),
    ("a.transpose(-1, 0)", "fp32 [4, 3, 2]"),
    ("b.t()", "fp32 [5, 4]"),
    ("b.T", "fp32 [5, 4]"),
    ("a.mT", "fp32 [2, 4, 3]"),
    ("a.permute(2, 0, 1)", "fp32 [4, 2, 3]"),
    ("torch.permute(a, (1, 2, 0))", "fp32 [3, 4, 2]"),
    ("torch.movedim(a, 0, 2)", "fp32 [3, 4, 2]"),
    ("v.expand(3, 4)", "fp32 [3, 4]"),
    ("torch.rand(2, 1, 4).expand(-1, 3, -1)", "fp32 [2, 3, 4]"),
    ("v.expand_as(m)", "fp32 [4, 4]"),
    ("torch.broadcast_to(v, (2, 4))", "fp32 [2, 4]"),
    ("a.narrow(2, 1, 2)", "fp32 [2, 3, 2]"),
    ("a.select(1, 0)", "fp32 [2, 4]"),
    ("seq.unfold(2, 3, 2)", "fp32 [2, 4, 5, 3]"),
    (
        "torch.chunk(a, 3, dim=1)",
        "fp32 [2, 1, 4]; fp32 [2, 1, 4]; fp32 [2, 1, 4]",
    ),
    (
        "torch.chunk(torch.rand(7), 3)",
        "fp32 [3]; fp32 [3]; fp32 [1]",
    ),
    ("a.split(2, dim=2)", "fp32 [2, 3, 2]; fp32 [2, 3, 2]"),
    (
        "torch.split(a, [1, 2], dim=1)",
        "fp32 [2, 1, 4]; fp32 [2, 2, 4]",
    ),
    (
        "torch.tensor_split(torch.rand(7), 3)",
        "fp32 [3]; fp32 [2]; fp32 [2]",
    ),
    (
        "torch.unbind(a, dim=1)",
        "fp32 [2, 4]; fp32 [2, 4]; fp32 [2, 4]",
    ),
    ("torch.diagonal(m)", "fp32 [4]"),
    ("torch.diag(v)", "fp32 [4, 4]"),
    ("torch.diag(m)", "fp32 [4]"),
    ("torch.diag_embed(v)", "fp32 [4, 4]"),
    ("torch.cat([a, a], dim=1)", "fp32 [2, 6, 4]"),
    ("torch.cat((h, a))", "fp32 [4, 3, 4]"),
    ("torch.stack([v, v], dim=1)", "fp32 [4, 2]"),
    ("torch.hstack([v, v])", "fp32 [8]"),
    ("torch.vstack([m, m])", "fp32 [8, 4]"),
    ("v.repeat(2, 3)", "fp32 [2, 12]"),
    ("torch.tile(v, (2,))", "fp32 [8]"),
    ("a.repeat_interleave(2, dim=1)", "fp32 [2, 6, 4]"),
    ("torch.repeat_interleave(a, 3)", "fp32 [72]"),
    ("torch.roll(a, 1, 2)", "fp32 [2, 3, 4]"),
    ("torch.flip(a, [0, 1])", "fp32 [2, 3, 4]"),
    ("torch.rot90(b, 1, [0, 1])", "fp32 [5, 4]"),
    ("F.pad(a, (1, 2))", "fp32 [2, 3, 7]"),
    (
        "F.pad(img, (1, 1, 2, 0), mode='reflect')",
        "fp32 [2, 4, 11, 10]",
    ),
    (
        "torch.meshgrid(v, v, indexing='ij')",
        "fp32 [4, 4]; fp32 [4, 4]",
    ),
    (
        "torch.broadcast_tensors(a, v)",
        "fp32 [2, 3, 4]; fp32 [2, 3, 4]",
    ),
    ("a[0]", "fp32 [3, 4]"),
    ("a[:, 1]", "fp32 [2, 4]"),
    ("a[..., -1]", "fp32 [2, 3]"),
    ("a[:, None, 1:, ::2]", "fp32 [2, 1, 2, 2]"),
    ("a[-1, :, 2:]", "fp32 [3, 2]"),
    ("a[[0, 1, 1]]", "fp32 [3, 3, 4]"),
    ("m[i]", "fp32 [2, 3, 4]"),
    ("a[:, i]", "fp32 [2, 2, 3, 4]"),
    (
        "a[torch.tensor([0, 1]), torch.tensor([0, 2])]",
        "fp32 [2, 4]",
    ),
    (
        "a[torch.tensor([0, 1]), :, torch.tensor([0, 2])]",
        "fp32 [2, 3]",
    ),
    ("a[None]", "fp32 [1, 2, 3, 4]"),
    ("torch.sum(a)", "fp32 []"),
    ("torch.sum(mask, dim=1)", "int64 [2, 4]"),
    ("a.sum((0, 2), keepdim=True)", "fp32 [1, 3, 1]"),
    ("a.prod(dim=0)", "fp32 [3, 4]"),
    ("torch.mean(a, dim=[1, 2])", "fp32 [2]"),
    ("a.mean(-1, keepdim=True)", "fp32 [2, 3, 1]"),
    ("torch.std(a, dim=1)", "fp32 [2, 4]"),
    (
        "a.var(dim=1, unbiased=False, keepdim=True)",
        "fp32 [2, 1, 4]",
    ),
    ("torch.std_mean(a, dim=1)", "fp32 [2, 4]; fp32 [2, 4]"),
    ("torch.logsumexp(a, dim=1, keepdim=True)", "fp32 [2, 1, 4]"),
    ("torch.amax(a, dim=(1, 2))", "fp32 [2]"),
    ("torch.argmax(a, dim=1)", "int64 [2, 4]"),
    ("torch.argmin(a)", "int64 []"),
    ("torch.max(a)", "fp32 []"),
    ("torch.max(a, dim=1)", "fp32 [2, 4]; int64 [2, 4]"),
    ("torch.max(a, dim=1, keepdim=True)[0]", "fp32 [2, 1, 4]"),
    ("torch.max(a, v)", "fp32 [2, 3, 4]"),
    ("torch.min(a, 2).values", "fp32 [2, 3]"),
    ("torch.median(a, dim=1)", "fp32 [2, 4]; int64 [2, 4]"),
    ("torch.any(mask, dim=1)", "bool [2, 4]"),
    ("mask.all()", "bool []"),
    ("torch.count_nonzero(a)", "int64 []"),
    ("torch.norm(a)", "fp32 []"),
    ("torch.norm(a, p=2, dim=1, keepdim=True)", "fp32 [2, 1, 4]"),
    ("torch.linalg.norm(a, dim=1)", "fp32 [2, 4]"),
    ("torch.linalg.vector_norm(a)", "fp32 []"),
    ("torch.sort(a, dim=1)", "fp32 [2, 3, 4]; int64 [2, 3, 4]"),
    ("torch.argsort(a)", "int64 [2, 3, 4]"),
    ("torch.topk(a, 2, dim=2)", "fp32 [2, 3, 2]; int64 [2, 3, 2]"),
    ("torch.kthvalue(a, 2)", "fp32 [2, 3]; int64 [2, 3]"),
    ("torch.matmul(a, b)", "fp32 [2, 3, 5] | 240"),
    ("torch.matmul(m, b)", "fp32 [4, 5] | 160"),
    ("torch.matmul(v, b)", "fp32 [5] | 40"),
    ("torch.matmul(a, v)", "fp32 [2, 3]"),
    ("torch.matmul(m, v)", "fp32 [4]"),
    ("torch.matmul(v, v)", "fp32 []"),
    ("torch.matmul(v, torch.rand(2, 4, 3))", "fp32 [2, 3] | 48"),
    ("torch.matmul(a.transpose(0, 1), v)", "fp32 [3, 2] | 48"),
    (
        "torch.matmul(m, torch.rand(2, 4, 3))",
        "fp32 [2, 4, 3] | 192",
    ),
    ("a @ a.transpose(1, 2)", "fp32 [2, 3, 3] | 144"),
    (
        "torch.rand(5, 1, 3, 4) @ torch.rand(2, 4, 6)",
        "fp32 [5, 2, 3, 6] | 1440",
    ),
    ("torch.mm(m, b)", "fp32 [4, 5] | 160"),
    ("torch.bmm(a, a.transpose(1, 2))", "fp32 [2, 3, 3] | 144"),
    ("torch.mv(m, v)", "fp32 [4]"),
    ("torch.dot(v, v)", "fp32 []"),
    ("torch.addmm(torch.rand(5), m, b)", "fp32 [4, 5] | 160"),
    (
        "torch.baddbmm(torch.rand(2, 3, 3), a, a.transpose(1, 2))",
        "fp32 [2, 3, 3] | 144",
    ),
    (
        "torch.addbmm(torch.rand(3, 3), a, a.transpose(1, 2))",
        "fp32 [3, 3]",
    ),
    ("torch.addmv(v, m, v)", "fp32 [4]"),
    ("F.linear(a, m)", "fp32 [2, 3, 4] | 192"),
    (
        "F.linear(a, torch.rand(5, 4), torch.rand(5))",
        "fp32 [2, 3, 5] | 240",
    ),
    ("torch.tensordot(a, b, dims=1)", "fp32 [2, 3, 5] | 240"),
    (
        "torch.tensordot(a, torch.rand(4, 3, 2), dims=([1, 2], [1, 0]))",
        "fp32 [2, 2] | 96",
    ),
    ("torch.linalg.multi_dot([m, b])", "fp32 [4, 5] | 160"),
    ("torch.kron(m, b)", "fp32 [16, 20]"),
    ("torch.einsum('bij,jk->bik', a, b)", "fp32 [2, 3, 5] | 240"),
    ("torch.einsum('bij,bkj->bik', a, a)", "fp32 [2, 3, 3] | 144"),
    ("torch.einsum('bij->bji', a)", "fp32 [2, 4, 3]"),
    ("torch.einsum('i,j->ij', v, v)", "fp32 [4, 4]"),
    ("torch.einsum('ii->i', m)", "fp32 [4]"),
    ("torch.einsum('ii', m)", "fp32 []"),
    ("torch.einsum('bij,j->b', a, v)", "fp32 [2] | 16"),
    (
        "torch.einsum('...j,jk->...k', a, b)",
        "fp32 [2, 3, 5] | 240",
    ),
    ("torch.einsum('bij,bij->b', a, a)", "fp32 [2] | 48"),
    (
        "torch.einsum('bi,bij,bj->b', torch.rand(2, 3), a, torch.rand(2, 4))",
        "fp32 [2] | 64",
    ),
    (
        "torch.einsum('b c h w, c k -> b k h w', img, b)",
        "fp32 [2, 5, 9, 8] | 5760",
    ),
    (
        "F.conv1d(seq, torch.rand(6, 4, 3), stride=2, padding=1)",
        "fp32 [2, 6, 6] | 1728",
    ),
    (
        "F.conv2d(img, torch.rand(6, 2, 3, 3), torch.rand(6), padding=1, groups=2)",
        "fp32 [2, 6, 9, 8] | 31104",
    ),
    (
        "F.conv2d(img, torch.rand(6, 4, 3, 3), padding='same')",
        "fp32 [2, 6, 9, 8] | 62208",
    ),
    (
        "F.conv3d(vol, torch.rand(3, 2, 2, 2, 2), dilation=2)",
        "fp32 [1, 3, 3, 4, 5] | 5760",
    ),
    (
        "F.conv_transpose1d(seq, torch.rand(4, 6, 3), stride=2, padding=1, output_padding=1)",
        "fp32 [2, 6, 22] | 3168",
    ),
    (
        "F.conv_transpose2d(img, torch.rand(4, 3, 3, 3), stride=2, groups=2, dilation=2)",
        "fp32 [2, 6, 21, 19] | 31104",
    ),
    (
        "F.conv_transpose3d(vol, torch.rand(2, 3, 3, 3, 3), stride=2, padding=1)",
        "fp32 [1, 3, 9, 11, 13] | 68040",
    ),
    ("nn.Conv1d(4, 6, 3)(seq)", "fp32 [2, 6, 9] | 2592"),
    (
        "nn.Conv2d(4, 8, (3, 1), stride=(2, 1), padding=(1, 0), bias=False)(img)",
        "fp32 [2, 8, 5, 8] | 15360",
    ),
    (
        "nn.Conv2d(4, 4, 3, padding=1, groups=4, padding_mode='reflect')(img)",
        "fp32 [2, 4, 9, 8] | 10368",
    ),
    ("nn.Conv3d(2, 3, 3)(vol)", "fp32 [1, 3, 3, 4, 5] | 19440"),
    (
        "nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, output_padding=1)(img)",
        "fp32 [2, 3, 18, 16] | 31104",
    ),
    ("nn.ConvTranspose1d(4, 6, 3)(seq)", "fp32 [2, 6, 13] | 3168"),
    (
        "nn.ConvTranspose3d(2, 4, 2, stride=2)(vol)",
        "fp32 [1, 4, 10, 12, 14] | 26880",
    ),
    ("nn.Linear(4, 7)(a)", "fp32 [2, 3, 7] | 336"),
    ("nn.Linear(4, 7, bias=False)(v)", "fp32 [7] | 56"),
    ("nn.Embedding(10, 6)(i)", "fp32 [2, 3, 6]"),
    ("F.embedding(i, b)", "fp32 [2, 3, 5]"),
    ("nn.BatchNorm2d(4)(img)", "fp32 [2, 4, 9, 8]"),
    ("nn.BatchNorm1d(4)(seq)", "fp32 [2, 4, 11]"),
    (
        "nn.BatchNorm3d(2, affine=False)(vol)",
        "fp32 [1, 2, 5, 6, 7]",
    ),
    ("nn.InstanceNorm2d(4)(img)", "fp32 [2, 4, 9, 8]"),
    ("nn.GroupNorm(2, 4)(img)", "fp32 [2, 4, 9, 8]"),
    ("nn.LayerNorm(4)(a)", "fp32 [2, 3, 4]"),
    ("nn.LayerNorm([3, 4], bias=False)(a)", "fp32 [2, 3, 4]"),
    ("nn.RMSNorm(4)(a)", "fp32 [2, 3, 4]"),
    ("F.layer_norm(a, (4,))", "fp32 [2, 3, 4]"),
    ("F.normalize(a, dim=-1)", "fp32 [2, 3, 4]"),
    ("nn.LocalResponseNorm(2)(img)", "fp32 [2, 4, 9, 8]"),
    ("F.max_pool1d(seq, 3)", "fp32 [2, 4, 3]"),
    (
        "F.max_pool2d(img, 3, stride=2, padding=1, ceil_mode=True)",
        "fp32 [2, 4, 5, 5]",
    ),
    (
        "F.max_pool2d(img, 2, return_indices=True)",
        "fp32 [2, 4, 4, 4]; int64 [2, 4, 4, 4]",
    ),
    ("nn.MaxPool3d(2)(vol)", "fp32 [1, 2, 2, 3, 3]"),
    ("nn.MaxPool2d(3, dilation=2)(img)", "fp32 [2, 4, 2, 2]"),
    ("nn.AvgPool1d(2)(seq)", "fp32 [2, 4, 5]"),
    ("nn.AvgPool2d(3, ceil_mode=True)(img)", "fp32 [2, 4, 3, 3]"),
    ("F.avg_pool3d(vol, 2, padding=1)", "fp32 [1, 2, 3, 4, 4]"),
    ("F.lp_pool2d(img, 2, 2)", "fp32 [2, 4, 4, 4]"),
    ("nn.AdaptiveAvgPool1d(3)(seq)", "fp32 [2, 4, 3]"),
    ("nn.AdaptiveAvgPool2d((1, 1))(img)", "fp32 [2, 4, 1, 1]"),
    ("F.adaptive_avg_pool2d(img, (None, 2))", "fp32 [2, 4, 9, 2]"),
    ("nn.AdaptiveAvgPool3d(2)(vol)", "fp32 [1, 2, 2, 2, 2]"),
    ("F.adaptive_max_pool2d(img, 2)", "fp32 [2, 4, 2, 2]"),
    (
        "F.scaled_dot_product_attention(torch.rand(2, 3, 5, 8), torch.rand(2, 3, 6, 8), torch.rand(2, 3, 6, 7))",
        "fp32 [2, 3, 5, 7] | 5400",
    ),
    (
        "F.scaled_dot_product_attention(a, a, a, is_causal=True)",
        "fp32 [2, 3, 4] | 288",
    ),
    (
        "nn.MultiheadAttention(4, 2)(a, a, a)",
        "fp32 [2, 3, 4]; fp32 [3, 2, 2] | 960",
    ),
    (
        "nn.MultiheadAttention(4, 2, batch_first=True)(a, a, a, need_weights=False)[0]",
        "fp32 [2, 3, 4] | 1056",
    ),
    (
        "nn.MultiheadAttention(4, 2, kdim=5, vdim=6, batch_first=True)(a, torch.rand(2, 7, 5), torch.rand(2, 7, 6))",
        "fp32 [2, 3, 4]; fp32 [2, 3, 7] | 2288",
    ),
    (
        "nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True)(a)",
        "fp32 [2, 3, 4] | 1824",
    ),
    (
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 3)(a)",
        "fp32 [2, 3, 4] | 5184",
    ),
    (
        "nn.TransformerDecoderLayer(4, 2, 8)(a, torch.rand(5, 3, 4))",
        "fp32 [2, 3, 4] | 3552",
    ),
    (
        "nn.Transformer(4, 2, 1, 1, 8, batch_first=True)(a, torch.rand(2, 5, 4))",
        "fp32 [2, 5, 4] | 6688",
    ),
    (
        "nn.LSTM(4, 6)(a)",
        "fp32 [2, 3, 6]; fp32 [1, 3, 6]; fp32 [1, 3, 6] | 2880",
    ),
    (
        "nn.LSTM(4, 6, num_layers=2, bidirectional=True, batch_first=True)(a)",
        "fp32 [2, 3, 12]; fp32 [4, 2, 6]; fp32 [4, 2, 6] | 16128",
    ),
    (
        "nn.LSTM(4, 6, proj_size=3)(a)",
        "fp32 [2, 3, 3]; fp32 [1, 3, 3]; fp32 [1, 3, 6] | 2232",
    ),
    (
        "nn.GRU(4, 5, 2, bias=False)(a)",
        "fp32 [2, 3, 5]; fp32 [2, 3, 5] | 3420",
    ),
    (
        "nn.RNN(4, 5, batch_first=True)(a, torch.rand(1, 2, 5))",
        "fp32 [2, 3, 5]; fp32 [1, 2, 5] | 540",
    ),
    ("nn.LSTMCell(4, 6)(n)", "fp32 [6, 6]; fp32 [6, 6] | 2880"),
    (
        "nn.GRUCell(4, 6)(n, torch.rand(6, 6))",
        "fp32 [6, 6] | 2160",
    ),
    ("nn.RNNCell(4, 6)(n)", "fp32 [6, 6] | 720"),
    (
        "torch.gather(m, 1, torch.randint(0, 3, (4, 2)))",
        "fp32 [4, 2]",
    ),
    (
        "torch.index_select(a, 2, torch.tensor([0, 2]))",
        "fp32 [2, 3, 2]",
    ),
    ("torch.take(a, i)", "fp32 [2, 3]"),
    ("F.one_hot(i, 5)", "int64 [2, 3, 5]"),
    (
        "torch.zeros(4, 4).scatter(1, torch.randint(0, 3, (4, 2)), 1.0)",
        "fp32 [4, 4]",
    ),
    (
        "torch.zeros(4, 4).scatter_add(1, torch.randint(0, 3, (4, 2)), torch.rand(4, 2))",
        "fp32 [4, 4]",
    ),
    (
        "torch.zeros(4, 4).index_add(0, torch.tensor([0, 1]), torch.rand(2, 4))",
        "fp32 [4, 4]",
    ),
    ("F.mse_loss(a, a)", "fp32 []"),
    ("F.l1_loss(a, a, reduction='none')", "fp32 [2, 3, 4]"),
    ("F.smooth_l1_loss(a, a)", "fp32 []"),
    ("F.huber_loss(a, a)", "fp32 []"),
    ("F.kl_div(a, a, reduction='batchmean')", "fp32 []"),
    (
        "F.binary_cross_entropy(torch.sigmoid(a), mask.float())",
        "fp32 []",
    ),
    (
        "F.binary_cross_entropy_with_logits(a, mask.float())",
        "fp32 []",
    ),
    ("F.cross_entropy(n, torch.randint(0, 3, (6,)))", "fp32 []"),
    (
        "F.cross_entropy(a, torch.randint(0, 2, (2, 4)), reduction='none')",
        "fp32 [2, 4]",
    ),
    (
        "F.nll_loss(n, torch.randint(0, 3, (6,)), reduction='sum')",
        "fp32 []",
    ),
    ("F.triplet_margin_loss(n, n, n)", "fp32 []"),
    ("nn.TripletMarginLoss(margin=2.0)(n, n, n)", "fp32 []"),
    ("F.margin_ranking_loss(v, v, v)", "fp32 []"),
    ("F.cosine_embedding_loss(n, n, torch.ones(6))", "fp32 []"),
    ("F.hinge_embedding_loss(n, n)", "fp32 []"),
    ("F.cosine_similarity(n, n, dim=1)", "fp32 [6]"),
    ("F.pairwise_distance(n, n)", "fp32 [6]"),
    ("F.gaussian_nll_loss(n, n, n)", "fp32 []"),
    ("F.poisson_nll_loss(n, n)", "fp32 []"),
    (
        "F.interpolate(img, scale_factor=2, mode='nearest')",
        "fp32 [2, 4, 18, 16]",
    ),
    (
        "F.interpolate(img, size=(5, 6), mode='bilinear', align_corners=False)",
        "fp32 [2, 4, 5, 6]",
    ),
    ("nn.Upsample(scale_factor=2)(seq)", "fp32 [2, 4, 22]"),
    ("F.pixel_shuffle(img, 2)", "fp32 [2, 1, 18, 16]"),
    (
        "F.pixel_unshuffle(torch.rand(1, 2, 4, 6), 2)",
        "fp32 [1, 8, 2, 3]",
    ),
    ("F.channel_shuffle(img, 2)", "fp32 [2, 4, 9, 8]"),
    (
        "F.grid_sample(img, torch.rand(2, 5, 6, 2))",
        "fp32 [2, 4, 5, 6]",
    ),
    ("F.unfold(img, 3, padding=1)", "fp32 [2, 36, 72]"),
    (
        "F.fold(torch.rand(1, 8, 9), (4, 4), 2)",
        "fp32 [1, 2, 4, 4]",
    ),
    ("torch.zeros_like(a)", "fp32 [2, 3, 4]"),
    ("torch.ones_like(i, dtype=torch.float32)", "fp32 [2, 3]"),
    ("torch.full_like(a, 3)", "fp32 [2, 3, 4]"),
    ("a.new_zeros(2, 3)", "fp32 [2, 3]"),
    ("a.new_full((2, 2), 1)", "fp32 [2, 2]"),
    ("torch.arange(5)", "int64 [5]"),
    ("torch.arange(0, 1, 0.25)", "fp32 [4]"),
    ("torch.linspace(0, 1, 5)", "fp32 [5]"),
    ("torch.full((2, 3), 1.5)", "fp32 [2, 3]"),
    ("torch.full((2,), 1)", "int64 [2]"),
    ("torch.eye(3)", "fp32 [3, 3]"),
    ("torch.tensor([[1, 2], [3, 4]])", "int64 [2, 2]"),
    ("torch.zeros(2, 3, dtype=torch.bool)", "bool [2, 3]"),
    ("torch.complex(a, a)", "complex64 [2, 3, 4]"),
    ("torch.tril_indices(4, 4)", "int64 [2, 10]"),
    (
        "nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))(a)",
        "fp32 [2, 3, 2] | 576",
    ),
    ("nn.ZeroPad2d(1)(img)", "fp32 [2, 4, 11, 10]"),
    (
        "nn.ReflectionPad2d((1, 2, 0, 1))(img)",
        "fp32 [2, 4, 10, 11]",
    ),
    ("nn.ConstantPad1d(2, 0.5)(seq)", "fp32 [2, 4, 15]"),
    ("nn.Flatten()(img)", "fp32 [2, 288]"),
    ("nn.Unflatten(1, (2, 2))(img)", "fp32 [2, 2, 2, 9, 8]"),
    ("nn.PReLU(3)(a)", "fp32 [2, 3, 4]"),
    ("nn.Softmax(dim=1)(a)", "fp32 [2, 3, 4]"),
    ("nn.Hardtanh(0, 1)(a)", "fp32 [2, 3, 4]"),
    ("nn.Identity()(a)", "fp32 [2, 3, 4]"),
    ("nn.Dropout(0.3)(a)", "fp32 [2, 3, 4]"),
    ("nn.CosineSimilarity()(n, n)", "fp32 [6]"),
    (
        "nn.CrossEntropyLoss()(n, torch.randint(0, 3, (6,)))",
        "fp32 []",
    ),
    ("rearrange(a, 'b c d -> b (c d)')", "fp32 [2, 12]"),
    (
        "rearrange(img, 'b c (h p) (w q) -> (b h w) (p q c)', p=3, q=2)",
        "fp32 [24, 24]",
    ),
    ("repeat(v, 'd -> b d', b=3)", "fp32 [3, 4]"),
    ("reduce(img, 'b c h w -> b c', 'mean')", "fp32 [2, 4]"),
    ("torch.Tensor.size(a, 1) * a", "fp32 [2, 3, 4]"),
    ("a.numel() * v", "fp32 [4]"),
    ("a.dim() * v", "fp32 [4]"),
    ("len(a) * v", "fp32 [4]"),
    ("torch.cdist(n, n) if False else n", "fp32 [6, 4]"),
    ("torch.searchsorted(v, n)", "int64 [6, 4]"),
    ("torch.bernoulli(a)", "fp32 [2, 3, 4]"),
    ("torch.var_mean(a, 1)", "fp32 [2, 4]; fp32 [2, 4]"),
    ("torch.nan_to_num(a)", "fp32 [2, 3, 4]"),
    ("torch.remainder(a, 2)", "fp32 [2, 3, 4]"),
    ("torch.isclose(a, a)", "bool [2, 3, 4]"),
    ("torch.histc(a, 10)", "fp32 [10]"),
    ("a.type(torch.float64)", "fp64 [2, 3, 4]"),
    ("a.view(torch.int32)", "int32 [2, 3, 4]"),
    ("torch.atleast_2d(v)", "fp32 [1, 4]"),
    ("torch.block_diag(m, b)", "fp32 [8, 9]"),
    ("torch.aminmax(a, dim=1)", "fp32 [2, 4]; fp32 [2, 4]"),
    ("a.swapaxes(0, 1)", "fp32 [3, 2, 4]"),
    ("torch.renorm(m, 2, 0, 1.0)", "fp32 [4, 4]"),
    ("torch.quantile(a, 0.5, dim=1)", "fp32 [2, 4]"),
    ("torch.dist(a, a)", "fp32 []"),
    ("F.softmin(a, dim=1)", "fp32 [2, 3, 4]"),
    ("F.gumbel_softmax(n)", "fp32 [6, 4]"),
    ("torch.as_strided(v, (2, 2), (1, 1))", "fp32 [2, 2]"),
    ("F.embedding_bag(i, b)", "fp32 [2, 5]"),
    (
        "F.affine_grid(torch.rand(2, 2, 3), (2, 3, 4, 5))",
        "fp32 [2, 4, 5, 2]",
    ),
    ("F.local_response_norm(img, 2)", "fp32 [2, 4, 9, 8]"),
    ("F.soft_margin_loss(n, n)", "fp32 []"),
    (
        "F.multi_margin_loss(n, torch.randint(0, 3, (6,)))",
        "fp32 []",
    ),
    ("F.multilabel_soft_margin_loss(n, n)", "fp32 []"),
    (
        "torch.masked_select(a, mask) if False else a",
        "fp32 [2, 3, 4]",
    ),
    (
        "nn.MaxUnpool2d(2)(torch.rand(1, 1, 2, 2), torch.zeros(1, 1, 2, 2, dtype=torch.long))",
        "fp32 [1, 1, 4, 4]",
    ),
    ("torch.bucketize(n, v)", "int64 [6, 4]"),
    ("torch.rand_like(a)", "fp32 [2, 3, 4]"),
    ("torch.hann_window(5)", "fp32 [5]"),
    ("torch.logspace(0, 1, 5)", "fp32 [5]"),
    ("torch.movedim(img, (1, 2), (3, 0))", "fp32 [9, 2, 8, 4]"),
    ("a.index_fill(1, torch.tensor([0]), 1.0)", "fp32 [2, 3, 4]"),
    (
        "torch.index_put(a, (torch.tensor([0]),), torch.rand(3, 4))",
        "fp32 [2, 3, 4]",
    ),
    ("a.masked_scatter(mask, a)", "fp32 [2, 3, 4]"),
    ("torch.addr(m, v, v)", "fp32 [4, 4]"),
    ("F.rms_norm(a, (4,))", "fp32 [2, 3, 4]"),
    ("F.instance_norm(img)", "fp32 [2, 4, 9, 8]"),
    ("F.group_norm(img, 2)", "fp32 [2, 4, 9, 8]"),
    (
        "F.batch_norm(img, None, None, training=True)",
        "fp32 [2, 4, 9, 8]",
    ),
];
