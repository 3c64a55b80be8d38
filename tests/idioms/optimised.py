"""Operators that ONNX Runtime's optimisers write: channels in blocks or last, fused normalisations, packed attentions."""
import numpy as np

from idiom import case, idiom, idioms, make_model, node, ramp, tensor

MICROSOFT = {"com.microsoft": 1}
BLOCKED = {"com.microsoft.nchwc": 1, "com.microsoft": 1}


def conv(x, w, bias, pads=0, stride=1, group=1):
    """Of an image [n, c, h, w], padded alike on all sides, in double."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads, pads), (pads, pads)))
    k, part = w.shape[2], w.shape[1]
    height, width = (x.shape[2] - k) // stride + 1, (x.shape[3] - k) // stride + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    for o in range(w.shape[0]):
        first = o // (w.shape[0] // group) * part
        for i in range(height):
            for j in range(width):
                window = x[:, first:first + part, i * stride:i * stride + k, j * stride:j * stride + k]
                y[:, o, i, j] = (window * w[o]).sum((1, 2, 3)) + (0 if bias is None else bias[o])
    return y


def pooled(x, k, stride, reduce):
    height, width = (x.shape[2] - k) // stride + 1, (x.shape[3] - k) // stride + 1
    return np.stack([np.stack([reduce(x[:, :, i * stride:i * stride + k, j * stride:j * stride + k], (2, 3))
                               for j in range(width)], -1) for i in range(height)], -2)


def relu(x):
    return np.maximum(x, 0)


# --- Channels in blocks


def filled(w, block, axes=(0, 1)):
    """Zeros after the weights, up to whole blocks."""
    return np.pad(w, [(0, -w.shape[d] % block if d in axes else 0) for d in range(w.ndim)])


def outputs_blocked(w, block):
    """Weights of few input channels: blocks of outputs stand last."""
    o, i, h, k = w.shape
    return np.ascontiguousarray(w.reshape(o // block, block, i, h, k).transpose(0, 2, 3, 4, 1)).reshape(w.shape)


def both_blocked(w, block):
    o, i, h, k = w.shape
    parts = w.reshape(o // block, block, i // block, block, h, k).transpose(0, 2, 4, 5, 3, 1)
    return np.ascontiguousarray(parts).reshape(w.shape)


def blocked(op, inputs, outputs, **attributes):
    return node(op, inputs, outputs, domain="com.microsoft.nchwc", **attributes)


def network_in_blocks(block):
    """An image through a convolution, pooling, a depthwise one, a residual sum, a concatenation and a wide one."""
    w = {"w1": ramp(24, 3, 3, 3), "w2": ramp(24, 1, 3, 3, scale=0.5), "w3": ramp(24, 24, 1, 1, scale=0.3),
         "w4": ramp(40, 48 if block == 8 else 64, 3, 3, scale=0.11)}
    b = {"b1": ramp(24, scale=0.9), "b4": ramp(40, scale=0.7)}
    stored = {"w1": outputs_blocked(filled(w["w1"], block, (0,)), block),
              "w2": outputs_blocked(filled(w["w2"], block, (0,)), block),
              "w3": both_blocked(filled(w["w3"], block), block), "w4": both_blocked(filled(w["w4"], block), block)}
    stored |= {k: np.pad(v, (0, -len(v) % block)) for k, v in b.items()}
    channels = 24 + -24 % block
    three, one = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, {"kernel_shape": [1, 1]}
    nodes = [blocked("Conv", ["x", "w1", "b1"], ["c1"], strides=[2, 2], group=1, activation="Relu", **three),
             blocked("MaxPool", ["c1"], ["p1"], kernel_shape=[2, 2], strides=[1, 1]),
             blocked("Conv", ["p1", "w2"], ["c2"], group=channels, activation="LeakyRelu", activation_params=[0.25], **three),
             blocked("Conv", ["c2", "w3", "", "p1"], ["c3"], activation="Relu", **one),
             node("Concat", ["c3", "p1"], ["all"], axis=1),
             blocked("Conv", ["all", "w4", "b4"], ["c4"], **three),
             blocked("ReorderOutput", ["c4"], ["image"], channels=40),
             blocked("GlobalAveragePool", ["c4"], ["mean"]), blocked("GlobalMaxPool", ["c3"], ["most"]),
             blocked("ReorderOutput", ["mean"], ["average"], channels=40),
             blocked("ReorderOutput", ["most"], ["greatest"], channels=24, channels_last=1)]
    model = make_model(nodes, [tensor("x", np.float32, ["n", 3, "h", "w"])],
                       [tensor(y, np.float32, None) for y in ("image", "average", "greatest")], stored, domains=BLOCKED)

    def run(x):
        p1 = pooled(relu(conv(x, w["w1"], b["b1"], 1, 2)), 2, 1, np.max)
        c2 = conv(p1, w["w2"], None, 1, 1, 24)
        c3 = relu(conv(np.where(c2 < 0, c2 * 0.25, c2), w["w3"], None) + p1)
        wide = np.zeros((x.shape[0], w["w4"].shape[1]) + p1.shape[2:])
        wide[:, :24], wide[:, channels:channels + 24] = c3, p1
        c4 = conv(wide, w["w4"], b["b4"], 1)
        results = [c4, c4.mean((2, 3), keepdims=True), c3.max((2, 3), keepdims=True).transpose(0, 2, 3, 1)]
        return case([x], [y.astype(np.float32) for y in results])
    return model, [run(ramp(1, 3, 9, 8)), run(ramp(2, 3, 6, 11))]


idioms({f"network_in_blocks_{b}": b for b in (8, 16)}, network_in_blocks)


def reordered(channels_last):
    """Into blocks and out of them, with pooling, nearest and linear enlargement between."""
    w = ramp(16, 16, 1, 1)
    nodes = [blocked("ReorderInput", ["x"], ["b"], channels_last=channels_last),
             blocked("AveragePool", ["b"], ["a"], kernel_shape=[2, 2], strides=[2, 2], count_include_pad=0),
             blocked("Conv", ["a", "w"], ["c"], kernel_shape=[1, 1]),
             blocked("Upsample", ["c"], ["u"], scales=[1, 1, 2, 3], mode="nearest"),
             blocked("Upsample", ["c"], ["l"], scales=[1, 1, 2, 2], mode="linear",
                     coordinate_transformation_mode="half_pixel"),
             blocked("ReorderOutput", ["u"], ["y"], channels=16, channels_last=channels_last),
             blocked("ReorderOutput", ["l"], ["z"], channels=16, channels_last=channels_last)]
    shape = ["n", "h", "w", 16] if channels_last else ["n", 16, "h", "w"]
    model = make_model(nodes, [tensor("x", np.float32, shape)],
                       [tensor("y", np.float32, None), tensor("z", np.float32, None)], {"w": both_blocked(w, 16)}, domains=BLOCKED)

    def twice(x, axis):
        n = x.shape[axis]
        at = np.maximum((np.arange(2 * n) + 0.5) / 2 - 0.5, 0)
        low = np.minimum(at.astype(int), n - 1)
        part = (at - low).reshape([-1 if d == axis else 1 for d in range(4)])
        return np.take(x, low, axis) * (1 - part) + np.take(x, np.minimum(low + 1, n - 1), axis) * part

    def run(n, h, width):
        x = ramp(n, 16, h, width)
        y = conv(pooled(x.astype(np.float64), 2, 2, np.mean), w, None)
        results = [y.repeat(2, 2).repeat(3, 3), twice(twice(y, 2), 3)]
        if channels_last:
            x, results = np.ascontiguousarray(x.transpose(0, 2, 3, 1)), [r.transpose(0, 2, 3, 1) for r in results]
        return case([x], [r.astype(np.float32) for r in results])
    return model, [run(1, 6, 4), run(2, 9, 6)]


idioms({"reordered": 0, "reordered_from_last": 1}, reordered)


# --- Channels last


@idiom
def conv_of_channels_last():
    """NhwcConv of a fused diffusion network: weights are [outputs, height, width, channels]."""
    w, bias = ramp(6, 4, 3, 3), ramp(6, scale=0.8)
    nodes = [node("NhwcConv", ["x", "w", "b"], ["y"], domain="com.microsoft", kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                  strides=[2, 2], dilations=[1, 1], group=1)]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "h", "w", 4])], [tensor("y", np.float32, None)],
                       {"w": np.ascontiguousarray(w.transpose(0, 2, 3, 1)), "b": bias}, domains=MICROSOFT)
    cases = []
    for x in (ramp(1, 4, 7, 5), ramp(2, 4, 8, 8)):
        y = conv(x, w, bias, 1, 2).transpose(0, 2, 3, 1).astype(np.float32)
        cases.append(case([np.ascontiguousarray(x.transpose(0, 2, 3, 1))], [y]))
    return model, cases


@idiom
def fused_conv_of_channels_last():
    """NhwcFusedConv: weights in ONNX's order, a sum and an activation."""
    w = ramp(4, 4, 3, 3)
    nodes = [node("NhwcFusedConv", ["x", "w", "", "x"], ["y"], domain="com.microsoft", kernel_shape=[3, 3],
                  pads=[1, 1, 1, 1], activation="Relu")]
    model = make_model(nodes, [tensor("x", np.float32, [1, "h", "w", 4])], [tensor("y", np.float32, None)], {"w": w},
                       domains=MICROSOFT)
    cases = []
    for x in (ramp(1, 4, 7, 5), ramp(1, 4, 4, 6)):
        last = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        cases.append(case([last], [relu(conv(x, w, None, 1) + x).transpose(0, 2, 3, 1).astype(np.float32)]))
    return model, cases


# --- Normalisations of image generators


def group_normalized(x, groups, gamma, beta, epsilon, activation):
    """x has the channels last."""
    parts = x.astype(np.float64).reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean, variance = parts.mean((1, 3), keepdims=True), parts.var((1, 3), keepdims=True)
    y = ((parts - mean) / np.sqrt(variance + epsilon)).reshape(x.shape) * gamma + beta
    return (y / (1 + np.exp(-y)) if activation else y).astype(np.float32)


def group_norm(options):
    activation, last = options
    gamma, beta = ramp(6), ramp(6, scale=0.6)
    nodes = [node("GroupNorm", ["x", "gamma", "beta"], ["y"], domain="com.microsoft", groups=3, epsilon=1e-3,
                  activation=activation, channels_last=last)]
    shape = ["n", "h", "w", 6] if last else ["n", 6, "h", "w"]
    model = make_model(nodes, [tensor("x", np.float32, shape)], [tensor("y", np.float32, shape)],
                       {"gamma": gamma, "beta": beta}, domains=MICROSOFT)
    cases = []
    for x in (ramp(1, 5, 4, 6), ramp(2, 3, 3, 6)):
        y = group_normalized(x, 3, gamma, beta, 1e-3, activation)
        cases.append(case([x], [y]) if last else case([x.transpose(0, 3, 1, 2).copy()], [y.transpose(0, 3, 1, 2).copy()]))
    return model, cases


idioms({"group_norm": (0, 1), "group_norm_silu": (1, 1), "group_norm_of_planes": (1, 0)}, group_norm)


def skip_group_norm(options):
    """A sum with an image, or with one row for each member of the batch, and a bias."""
    kind, with_bias = options
    gamma, beta, bias = ramp(8), ramp(8, scale=0.6), ramp(8, scale=0.2)
    outputs = ["y", "s"] if with_bias else ["y"]
    nodes = [node("SkipGroupNorm", ["x", "gamma", "beta", "skip"] + ["bias"] * with_bias, outputs,
                  domain="com.microsoft", groups=2, activation=1)]
    shape = {"image": ["n", "h", "w", 8], "rows": ["n", 8], "pixels": ["n", 1, 1, 8]}[kind]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "h", "w", 8]), tensor("skip", np.float32, shape)],
                       [tensor(y, np.float32, ["n", "h", "w", 8]) for y in outputs],
                       {"gamma": gamma, "beta": beta} | ({"bias": bias} if with_bias else {}), domains=MICROSOFT)
    cases = []
    for n, h, w in ((1, 3, 2), (2, 4, 4)):
        sizes = {"n": n, "h": h, "w": w}
        x, skip = ramp(n, h, w, 8), ramp(*[sizes.get(d, d) for d in shape], scale=0.45)
        s = x + (skip[:, None, None] if kind == "rows" else skip) + (bias if with_bias else 0)
        results = [group_normalized(s, 2, gamma, beta, 1e-5, 1), s]
        cases.append(case([x, skip], results[:len(outputs)]))
    return model, cases


idioms({"skip_group_norm": ("image", 1), "skip_group_norm_of_rows": ("rows", 0), "skip_group_norm_of_pixels": ("pixels", 1)},
       skip_group_norm)


def erf(x):
    from math import erf as one
    return np.vectorize(one)(x)


@idiom
def bias_split_gelu():
    bias = ramp(12, scale=0.8)
    nodes = [node("BiasSplitGelu", ["x", "b"], ["h"], domain="com.microsoft"),
             node("BiasAdd", ["h", "c", "s"], ["y"], domain="com.microsoft")]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "s", 12]), tensor("s", np.float32, ["n", "s", 6])],
                       [tensor("y", np.float32, ["n", "s", 6])], {"b": bias, "c": bias[:6]}, domains=MICROSOFT)
    cases = []
    for n, s in ((1, 3), (2, 5)):
        x, skip = ramp(n, s, 12, scale=0.7) * 3, ramp(n, s, 6, scale=0.2)
        left, right = np.split((x + bias).astype(np.float64), 2, -1)
        y = left * right * 0.5 * (1 + erf(right / np.sqrt(2)))
        cases.append(case([x, skip], [(y + bias[:6] + skip).astype(np.float32)]))
    return model, cases


# --- Attention with packed operands, or with a buffer of earlier keys and values


def attention(q, k, v, heads, bias=0):
    """Of [batch, sequence, heads * features]; the bias is added to the scores."""
    def apart(x):
        return x.astype(np.float64).reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)
    q, k, v = apart(q), apart(k), apart(v)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[3]) + bias
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    y = scores / scores.sum(-1, keepdims=True) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1).astype(np.float32)


def packed_attention(parts):
    """MultiHeadAttention over [batch, sequence, heads, parts, features]: all three in the queries, or keys and values."""
    heads, features = 2, 4
    bias = ramp(3 * heads * features, scale=0.7)
    packed = tensor("p", np.float32, ["n", "s" if parts == 3 else "t", heads, parts, features])
    inputs = [packed] if parts == 3 else [tensor("q", np.float32, ["n", "s", heads * features]), packed]
    nodes = [node("MultiHeadAttention", (["p", "", ""] if parts == 3 else ["q", "p", ""]) + ["bias"], ["y"],
                  domain="com.microsoft", num_heads=heads)]
    model = make_model(nodes, inputs, [tensor("y", np.float32, None)], {"bias": bias}, domains=MICROSOFT)

    def run(n, s, t):
        p = ramp(n, s if parts == 3 else t, heads, parts, features)
        rows = [np.ascontiguousarray(p[:, :, :, i]).reshape(n, p.shape[1], -1) for i in range(parts)]
        q = ramp(n, s, heads * features, scale=0.21)
        given = [p] if parts == 3 else [q, p]
        operands = [x + b for x, b in zip(rows if parts == 3 else [q] + rows, np.split(bias, 3))]
        return case(given, [attention(*operands, heads)])
    return model, [run(1, 3, 5), run(2, 4, 2)]


idioms({"attention_packed_qkv": 3, "attention_packed_kv": 2}, packed_attention)


def decoder_attention(options):
    """DecoderMaskedMultiHeadAttention: one row, whose keys and values are written to the buffer after those in use."""
    packed, masked = options
    heads, features, room = 2, 4, 7
    width = heads * features
    bias = ramp(3 * width, scale=0.7)
    rows = [tensor("q", np.float32, ["n", 1, 3 * width])] if packed else [
        tensor(x, np.float32, ["n", 1, width]) for x in "qkv"]
    cache = [tensor(x, np.float32, ["n", heads, room, features]) for x in ("past_key", "past_value")]
    inputs = rows + ([tensor("mask", np.int32, ["n", "total"])] if masked else []) + cache + [tensor("used", np.int32, [1])]
    nodes = [node("DecoderMaskedMultiHeadAttention",
                  ["q"] + (["", ""] if packed else ["k", "v"]) + ["mask" if masked else "", "", "past_key", "past_value",
                                                                  "used", "", "", "bias"],
                  ["y", "present_key", "present_value"], domain="com.microsoft", num_heads=heads,
                  past_present_share_buffer=1)]
    outputs = [tensor("y", np.float32, ["n", 1, width])] + [
        tensor(x, np.float32, ["n", heads, room, features]) for x in ("present_key", "present_value")]
    model = make_model(nodes, inputs, outputs, {"bias": bias}, domains=MICROSOFT)

    def run(n, used):
        x = [ramp(n, 1, width, scale=s) for s in (0.3, 0.5, 0.9)]
        past = [ramp(n, heads, room, features, scale=s) for s in (0.13, 0.77)]
        q, k, v = [a + b for a, b in zip(x, np.split(bias, 3))]
        present = [p.copy() for p in past]
        for buffer, row in zip(present, (k, v)):
            buffer[:, :, used] = row.reshape(n, heads, features)
        mask = (np.arange(n * (used + 1)).reshape(n, used + 1) % 3 != 1).astype(np.int32)
        mask[:, -1] = 1
        keys, values = [b[:, :, :used + 1].transpose(0, 2, 1, 3).reshape(n, used + 1, width) for b in present]
        y = attention(q, keys, values, heads, np.where(mask, 0, -10000.)[:, None, None] if masked else 0)
        given = ([np.concatenate(x, -1)] if packed else x) + ([mask] if masked else []) + past + [np.int32([used])]
        return case(given, [y] + present)
    return model, [run(1, 3), run(2, 5), run(2, 1)]


idioms({"decoder_attention": (0, 0), "decoder_attention_masked": (0, 1), "decoder_attention_packed": (1, 0)},
       decoder_attention)


@idiom
def decoder_cross_attention():
    """The same over keys and values of an encoder, whose heads are apart; their bias is in them already."""
    bias = ramp(24, scale=0.7)
    nodes = [node("DecoderMaskedMultiHeadAttention", ["q", "k", "v", "mask", "", "", "", "", "", "", "bias"], ["y"],
                  domain="com.microsoft", num_heads=2)]
    model = make_model(nodes, [tensor("q", np.float32, ["n", 1, 8])] + [
        tensor(x, np.float32, ["n", 2, "t", 4]) for x in "kv"] + [tensor("mask", np.int32, ["n", "t"])],
                       [tensor("y", np.float32, ["n", 1, 8])], {"bias": bias}, domains=MICROSOFT)
    cases = []
    for n, t in ((1, 3), (2, 6)):
        q, k, v = ramp(n, 1, 8), ramp(n, 2, t, 4, scale=0.9), ramp(n, 2, t, 4, scale=0.3)
        mask = (np.arange(n * t).reshape(n, t) % 4 != 1).astype(np.int32)
        flat = [x.transpose(0, 2, 1, 3).reshape(n, t, 8) for x in (k, v)]
        y = attention(q + bias[:8], *flat, 2, np.where(mask, 0, -10000.)[:, None, None])
        cases.append(case([q, k, v, mask], [y]))
    return model, cases


# --- Weights in four bits


FOUR_BIT_FLOATS = [0, 5.208333333e-03, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4]
NORMAL_QUANTILES = [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
                    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
                    0.7229568362236023, 1.0]


def table_weights(kind):
    """MatMulBnb4: positions in a table, the upper half of a byte first, times the magnitude of their block."""
    k, columns, block = 32, 6, 16
    table = np.float32(NORMAL_QUANTILES if kind else FOUR_BIT_FLOATS + [-x for x in FOUR_BIT_FLOATS])
    at = np.arange(k * columns) * 7 % 16
    magnitudes = np.abs(ramp(k * columns // block)) + np.float32(0.5)
    weights = (table[at].reshape(-1, block) * magnitudes[:, None]).reshape(columns, k)
    nodes = [node("MatMulBnb4", ["x", "w", "m"], ["y"], domain="com.microsoft", K=k, N=columns, block_size=block,
                  quant_type=kind)]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "s", k])], [tensor("y", np.float32, ["n", "s", columns])],
                       {"w": (at[::2] * 16 + at[1::2]).astype(np.uint8), "m": magnitudes}, domains=MICROSOFT)
    return model, [case([x], [(x.astype(np.float64) @ weights.T).astype(np.float32)])
                   for x in (ramp(1, 1, k), ramp(2, 3, k))]


idioms({"weights_of_four_bit_floats": 0, "weights_of_normal_quantiles": 1}, table_weights)


# --- Mixtures of experts


def tanh_gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def swish(x):
    return x / (1 + np.exp(-x))


def mixture(x, router, w1, b1, w2, b2, k, activation, normalized):
    flat = x.reshape(-1, x.shape[-1]).astype(np.float64)
    shares = np.exp(router - router.max(-1, keepdims=True), dtype=np.float64)
    shares /= shares.sum(-1, keepdims=True)
    y = np.zeros_like(flat)
    for row, share in enumerate(shares):
        chosen = np.argsort(-share, kind="stable")[:k]
        total = share[chosen].sum() if normalized else 1
        for i in chosen:
            y[row] += share[i] / total * (activation(flat[row] @ w1[i].T + b1[i]) @ w2[i].T + b2[i])
    return y.reshape(x.shape).astype(np.float32)


def swiglu(h):
    gate, linear = np.minimum(h[0::2], 0.9), np.clip(h[1::2], -0.9, 0.9)
    return gate / (1 + np.exp(-1.5 * gate)) * (linear + 1)


def experts(options):
    """MoE of one layer of four experts; weights are [experts, results, features]."""
    name, k, activation, given = options
    hidden, inner = 6, 10
    width = inner * 2 if name == "swiglu" else inner
    w = {"w1": ramp(4, width, hidden, scale=0.61), "b1": ramp(4, width, scale=0.2), "w2": ramp(4, hidden, inner, scale=0.47),
         "b2": ramp(4, hidden, scale=0.9)}
    nodes = [node("MoE", ["x", "r", "w1", "b1", "w2", "b2"], ["y"], domain="com.microsoft", k=k, activation_type=name, **given)]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "s", hidden]), tensor("r", np.float32, ["rows", 4])],
                       [tensor("y", np.float32, None)], w, domains=MICROSOFT)
    cases = []
    for n, s in ((1, 3), (2, 5)):
        x, r = ramp(n, s, hidden, scale=0.7) * 2, ramp(n * s, 4, scale=0.83) * 3
        cases.append(case([x, r], [mixture(x, r, *w.values(), k, activation, given.get("normalize_routing_weights"))]))
    return model, cases


idioms({"experts_relu": ("relu", 1, relu, {}), "experts_gelu": ("gelu", 2, tanh_gelu, {"normalize_routing_weights": 1}),
        "experts_silu": ("silu", 2, swish, {}),
        "experts_swiglu": ("swiglu", 2, swiglu, {"normalize_routing_weights": 1, "swiglu_fusion": 1, "swiglu_limit": 0.9,
                                                 "activation_alpha": 1.5, "activation_beta": 1.0})}, experts)


def quantized_experts(bits):
    """QMoE: weights in bytes or halves of bytes around their middle, a scale for each row."""
    hidden, inner, middle = 8, 16, 1 << (bits - 1)

    def stored(*shape):
        q = (np.arange(np.prod(shape)) * 37 % (2 * middle)).reshape(shape)
        packed = q if bits == 8 else q[..., 0::2] | q[..., 1::2] << 4
        scales = np.abs(ramp(*shape[:2], scale=0.31)) * np.float32(0.3 / middle) + np.float32(0.01)
        return packed.astype(np.uint8), scales, (q - middle) * scales.astype(np.float64)[..., None]
    (p1, s1, w1), (p2, s2, w2) = stored(3, inner, hidden), stored(3, hidden, inner)
    b1, b2 = ramp(3, inner, scale=0.2), ramp(3, hidden, scale=0.9)
    nodes = [node("QMoE", ["x", "r", "p1", "s1", "b1", "p2", "s2", "b2"], ["y"], domain="com.microsoft", k=2,
                  activation_type="relu", normalize_routing_weights=1, expert_weight_bits=bits)]
    model = make_model(nodes, [tensor("x", np.float32, ["n", hidden]), tensor("r", np.float32, ["n", 3])],
                       [tensor("y", np.float32, None)],
                       {"p1": p1, "s1": s1, "b1": b1, "p2": p2, "s2": s2, "b2": b2}, domains=MICROSOFT)
    cases = []
    for n in (1, 5):
        x, r = ramp(n, hidden, scale=0.7), ramp(n, 3, scale=0.83) * 3
        cases.append(case([x, r], [mixture(x, r, w1, b1, w2, b2, 2, relu, True)]))
    return model, cases


idioms({"experts_of_four_bits": 4, "experts_of_bytes": 8}, quantized_experts)
