"""Each operator of the table, as users reach it. Operators of a kind are compiled together, as a compilation takes long."""
import math

import torch
from torch.nn import functional as F


def random(*shape):
    return torch.randn(*shape)


def test_unary(compare):
    names = ("abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp exp2 expm1 floor log log10 log1p log2 neg "
             "reciprocal relu round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc frac square isnan isinf isfinite")
    points = torch.cat([torch.linspace(-3, 3, 25), torch.tensor([1e-6, -1e-6, 0.0, math.inf, -math.inf, math.nan])])

    def model(x):
        return [getattr(torch, name)(x) for name in names.split()]

    compare(model, points)


def test_activations(compare):
    def model(x):
        return [F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardswish(x), F.hardsigmoid(x), F.elu(x, 0.7),
                F.selu(x), F.celu(x, 0.5), F.leaky_relu(x, 0.2), F.softplus(x), F.softplus(x, 2, 1), F.relu6(x),
                F.hardtanh(x, -0.3, 0.6), F.logsigmoid(x), F.softsign(x), F.tanhshrink(x), F.hardshrink(x), F.softshrink(x),
                F.threshold(x, 0.1, 2), F.prelu(x, torch.tensor([0.3])), F.glu(x, 0)]

    compare(model, random(4, 9) * 3)


def test_binary(compare):
    def model(x, y, i, j, b):
        return [x + y, x - 2 * y, x * y, x / y, x // y, x % y, torch.fmod(x, y), torch.remainder(x, -0.7), x ** 2, x.abs() ** y,
                torch.maximum(x, y), torch.minimum(x, y), torch.atan2(x, y), torch.add(x, y, alpha=0.5), 1 - x, 2 / y,
                torch.rsub(x, y, alpha=2), i + j, i // j, i % j, i / j, torch.div(i, j, rounding_mode="trunc"), i * 2.5,
                x + i, i & j, i | j, i ^ j, ~i, b & ~b, b | b, b ^ b, b + b, x + b, i * b, i ** 2,
                torch.div(x, y, rounding_mode="trunc"), torch.where(b, x, y), torch.where(b, x, 0.0), x.masked_fill(b, -1.0),
                torch.lerp(x, y, 0.3), torch.addcmul(x, y, y, value=0.5), torch.addcdiv(x, y, y, value=2)]

    compare(model, random(3, 5), random(3, 5), torch.randint(-9, 9, (3, 5)), torch.randint(1, 5, (3, 5)), random(3, 5) > 0)


def test_comparisons(compare):
    def model(x, y, i, b):
        return [x == y, x != y, x < y, x <= 0, x > 0.5, i >= 2, i > 0.5, i == 1, x > i, b == b, torch.logical_not(i),
                torch.logical_and(i, b), torch.logical_or(x, b), torch.logical_xor(b, i), x.clamp(-0.5, 0.5), x.clamp(min=y),
                i.clamp(max=3), x.clamp_min(0), x.clamp_max(0.1), x.to(torch.int32), i.float(), b.to(torch.float64), x.half(),
                x.bfloat16()]

    compare(model, random(3, 5), random(3, 5), torch.randint(-4, 4, (3, 5)), random(3, 5) > 0)


def test_reductions(compare):
    def model(x, i, b):
        return [x.sum(), x.sum(1), x.sum((0, 2), keepdim=True), x.mean(), x.mean(-1), x.amax(1), x.amin((0, 1)), x.max(), x.min(),
                x.prod(2), x.prod(), x.var(), x.var(1), x.std(-1, correction=0), *torch.var_mean(x, 2), x.argmax(), x.argmax(1),
                x.argmin(-1, keepdim=True), *x.max(1), *x.min(2, keepdim=True), i.sum(), i.sum(1), i.amax(0), b.sum(), b.any(),
                b.all(1), x.any(0), x.norm(), x.norm(dim=1), torch.linalg.vector_norm(x, 1, 2), torch.linalg.vector_norm(x, math.inf),
                torch.linalg.vector_norm(x, 3, 0), x.logsumexp(1), x.softmax(-1), x.log_softmax(1), x.cumsum(1), i.cumsum(-1),
                b.float().mean(), x.norm(dim=(0, 1), keepdim=True)]

    compare(model, random(3, 4, 5), torch.randint(-4, 4, (3, 4)), random(3, 5) > 0)


def test_order(compare):
    def model(x):
        return [*x.topk(3), *x.topk(2, dim=0, largest=False), *x.sort(1, descending=True), *x.sort(dim=0, stable=True), x.argsort(1)]

    compare(model, random(6, 7))


def test_shapes(compare):
    def model(x, i):
        return [x.reshape(6, 4) + 0, x.permute(2, 0, 1) * 1, x.transpose(0, 2) + 1, x.flatten(1).neg(), x.unsqueeze(1).abs(),
                x[:, :1].squeeze(1) + 1, x.expand(2, 2, 3, 4) * 2, torch.cat([x, x * 2], 1), torch.stack([x, -x], 1),
                *x.abs().split(2, 1), *x.neg().chunk(2, 2), *x.exp().unbind(1), x[:, 1:, ::2] + 1, x[0] + 1, x[:, -1] + 1,
                x.abs().repeat(2, 1, 3), x.flip(0, 2), x.roll(1, 1), x.roll((1, 2), (0, 2)), F.pad(x, (1, 2, 0, 1), value=0.5),
                F.pad(x, (-1, 2)), F.pad(x, (1, 1), mode="reflect"), F.pad(x, (2, 1), mode="replicate"),
                F.pad(x, (1, 1), mode="circular"), x.tril(), x.triu(1), x[0].diagonal() + 1, x[0].diagonal(-1) + 1, x[..., None] * 2,
                torch.full((2, 3), 7.0) + x[0, 0, 0], torch.zeros_like(x) + x, torch.ones(3) + x[0, :, :1], torch.arange(4) + x,
                torch.arange(1, 9, 2) * i[0, 0], F.pixel_shuffle(x.reshape(1, 4, 2, 3), 2), F.pixel_unshuffle(x.reshape(1, 1, 4, 6), 2),
                F.one_hot(i.clamp(0, 3), 4), torch.meshgrid(i[0], i[0], indexing="ij")[0] + 1, x.movedim(0, 2) + 1, x.diff(dim=1),
                x.view(2, 12).T.contiguous(), F.unfold(x.reshape(1, 1, 4, 6), 2)]

    compare(model, random(2, 3, 4), torch.randint(0, 3, (3, 3)))


def test_indexing(compare):
    def model(x, i, m):
        y, z, w = x.clone(), x.clone(), x.clone()
        y[:, 1:2] = 0.5
        z[i[0], i[1]] = 1.5
        w[m] = -1.0
        v = x.clone()
        v[1] = x[0]
        return [x[i], x[:, i[0]], x[i[0], i[1]], x[:, i[0], i[1]], x[i[0], :, i[1]], x.index_select(1, i[0]), x.gather(1, i[:, :, None]),
                x.scatter(1, i[:, :2, None], 2.0), x.scatter(0, i[None], x[:1] + 1), x.scatter_add(1, i[:, :, None], x * 2), y, z, w, v,
                x.index_add(0, i[0], x[:3] * 3), x.take_along_dim(i[:, :, None], 1), F.embedding(i, x[0]), x.masked_fill(m, 3.0),
                x.scatter_reduce(1, i[:, :, None], x, "amax")]

    compare(model, random(4, 4, 3), torch.randint(0, 3, (4, 3)), random(4, 4, 3) > 0)


def test_matrices(compare):
    def model(a, b, v):
        return [a[0] @ b[0], a @ b, a @ b[0], a[0] @ v, v @ b[0], v.dot(v), torch.addmm(v[:3], a[0], b[0, :, :3], beta=0.5, alpha=2),
                torch.baddbmm(a, a, b[:, :, :4]), torch.einsum("bij,bjk->bki", a, b), F.linear(a, b[0].T[:, :4]), torch.outer(v, v),
                torch.cdist(a, a)]

    compare(model, random(2, 3, 4), random(2, 4, 5), random(4))


def test_convolutions(compare):
    def model(x, w, b, s, w1, v, w3):
        return [F.conv2d(x, w, b), F.conv2d(x, w, None, 2, 1, 2), F.conv2d(x, w[:, :1], b, groups=4, padding=1),
                F.conv_transpose2d(x, w[:4], b[:4], 2, 1, 1), F.conv1d(s, w1, b[:5], padding=2), F.conv3d(v, w3, padding=1),
                F.conv2d(x[0], w, b, padding="same"), F.conv_transpose1d(s, w1.transpose(0, 1), stride=3)]

    compare(model, random(2, 4, 9, 8), random(8, 4, 3, 3), random(8), random(2, 3, 11), random(5, 3, 5), random(1, 2, 5, 6, 7),
            random(3, 2, 3, 3, 3))


def test_pools(compare):
    def model(x, s):
        return [F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, ceil_mode=True),
                F.avg_pool2d(x, 3, padding=1, count_include_pad=False), F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (3, 4)),
                F.adaptive_avg_pool2d(x, (5, 7)), F.max_pool1d(s, 3), F.avg_pool1d(s, 2), F.adaptive_avg_pool1d(s, 1),
                *F.max_pool2d(x, 2, return_indices=True), F.max_pool2d(x[0], 2), F.lp_pool2d(x.abs(), 2, 2),
                F.adaptive_max_pool2d(x, 1), F.max_pool3d(x[None], 2), F.avg_pool3d(x[None], 2)]

    compare(model, random(2, 4, 9, 8), random(2, 3, 11))


def test_norms(compare):
    def model(x, w, m, s):
        return [F.batch_norm(x, m, w.abs() + 1, w, m), F.batch_norm(x, m, w.abs() + 1), F.layer_norm(x, (9, 8)), F.layer_norm(s, (11,), s[0, 0], s[0, 1]),
                F.group_norm(x, 2, w, m), F.group_norm(x, 4), F.instance_norm(x), F.rms_norm(s, (11,), s[0, 2]), F.normalize(s, dim=1),
                F.local_response_norm(x, 3), F.cosine_similarity(s, s + 1, dim=1), F.layer_norm(s, (3, 11))]

    compare(model, random(2, 4, 9, 8), random(4), random(4), random(2, 3, 11))


def test_interpolation(compare):
    def model(x, s, g):
        return [F.interpolate(x, scale_factor=2), F.interpolate(x, size=(5, 13)), F.interpolate(x, scale_factor=2.0, mode="bilinear"),
                F.interpolate(x, size=(5, 13), mode="bilinear"), F.interpolate(x, size=(5, 13), mode="bilinear", align_corners=True),
                F.interpolate(x, scale_factor=1.5, mode="bicubic"), F.interpolate(s, scale_factor=2, mode="linear"),
                F.grid_sample(x, g, align_corners=False), F.grid_sample(x, g, mode="nearest", padding_mode="border", align_corners=True)]

    compare(model, random(2, 4, 9, 8), random(2, 3, 11), torch.rand(2, 3, 4, 2) * 2 - 1)


def test_attention(compare):
    def model(q, k, v, m):
        return [F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3),
                F.scaled_dot_product_attention(q, k, v, m), F.scaled_dot_product_attention(q, k, v, m > -1)]

    compare(model, random(2, 3, 7, 8), random(2, 3, 7, 8), random(2, 3, 7, 8), random(7, 7))
