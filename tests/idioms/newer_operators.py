"""Operators of ONNX's operator sets 25 to 28, and of a set that does not exist yet."""
from fractions import Fraction

import numpy as np
from onnx import helper

from idiom import case, graph, idiom, idioms, make_model, node, ramp, tensor

FLOAT = np.float32


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def bit_cast(types):
    source, target = types
    x = ramp(3, 5).astype(FLOAT).view(np.uint8)[:, :5 * np.dtype(source).itemsize].copy().view(source)
    number = {np.dtype(t): n for t, n in ((FLOAT, 1), (np.float16, 10), (np.int16, 5), (np.int32, 6), (np.uint32, 12),
                                          (np.uint16, 4), (np.int8, 3), (np.uint8, 2))}[np.dtype(target)]
    nodes = [node("BitCast", ["x"], ["b"], to=number), node("Identity", ["b"], ["y"])]
    model = make_model(nodes, [tensor("x", source, ["n", 5])], [tensor("y", target, ["n", 5])], opset=26)
    return model, [case([v], [v.view(target)]) for v in (x, x[:1])]


idioms({f"bit_cast_{np.dtype(a).name}_to_{np.dtype(b).name}": (a, b) for a, b in (
    (FLOAT, np.int32), (np.uint32, FLOAT), (np.float16, np.uint16), (np.int16, np.float16), (np.uint8, np.int8))}, bit_cast)


def cumulative_product(settings):
    axis, exclusive, reverse = settings

    def expected(x):
        y = np.flip(x, axis) if reverse else x
        y = np.cumprod(y, axis)
        if exclusive:
            first = np.ones_like(np.take(y, [0], axis))
            y = np.concatenate([first, np.take(y, range(y.shape[axis] - 1), axis)], axis)
        return np.flip(y, axis) if reverse else y
    model = make_model([node("CumProd", ["x", "axis"], ["y"], exclusive=exclusive, reverse=reverse)],
                       [tensor("x", np.float64, ["n", 3])], [tensor("y", np.float64, ["n", 3])],
                       {"axis": np.int64(axis)}, opset=26)
    xs = [1 + ramp(n, 3, dtype=np.float64) for n in (4, 19)]
    return model, [case([x], [expected(x)]) for x in xs]


idioms({"cum_prod": (0, 0, 0), "cum_prod_exclusive": (1, 1, 0), "cum_prod_reverse": (0, 0, 1),
        "cum_prod_reverse_exclusive": (-1, 1, 1)}, cumulative_product)


def causal_conv(length):
    """A decoder's convolution: the same model for a prompt and for single tokens, the state handed on."""
    weights, bias = ramp(4, 1, 3), ramp(4)

    def expected(x, past):
        whole = np.concatenate([past, x], 2)
        y = sum(whole[:, :, k:k + x.shape[2]] * weights[:, :, k] for k in range(3)) + bias[:, None]
        return y * sigmoid(y), whole[:, :, x.shape[2]:]
    model = make_model([node("CausalConvWithState", ["x", "w", "b", "past"], ["y", "present"], activation="silu")],
                       [tensor("x", FLOAT, ["n", 4, "t"]), tensor("past", FLOAT, ["n", 4, 2])],
                       [tensor("y", FLOAT, None), tensor("present", FLOAT, None)], {"w": weights, "b": bias}, opset=27)
    inputs = [(ramp(n, 4, t), ramp(n, 4, 2, scale=0.7)) for n, t in length]
    return model, [case([x, past], list(expected(x, past))) for x, past in inputs]


idioms({"causal_conv": [(2, 7), (1, 1), (3, 2)]}, causal_conv)


def linear_attention(settings):
    rule, heads, key_heads, by_feature = settings
    head_size, columns = 4, 3

    def expected(q, k, v, past, decay, rate):
        batch, steps = q.shape[:2]
        q, k, v = (a.reshape(batch, steps, -1, d) for a, d in ((q, head_size), (k, head_size), (v, columns)))
        decay, rate = decay.reshape(batch, steps, key_heads, -1), rate.reshape(batch, steps, key_heads)
        state, out = past.copy(), np.zeros((batch, steps, heads, columns), FLOAT)
        for t in range(steps):
            if rule.startswith("gated"):
                state = state * np.exp(decay[:, t])[..., None]
            u = v[:, t]
            if rule.endswith("delta"):
                u = rate[:, t, :, None] * (u - np.einsum("bhij,bhi->bhj", state, k[:, t]))
            state = state + k[:, t, :, :, None] * u[:, :, None, :]
            repeated = np.repeat(state, heads // key_heads, 1)
            out[:, t] = np.einsum("bhij,bhi->bhj", repeated, q[:, t]) / np.sqrt(head_size)
        return out.reshape(batch, steps, -1), state
    features = head_size if by_feature else 1
    shapes = {"q": heads * head_size, "k": key_heads * head_size, "v": key_heads * columns, "g": key_heads * features, "r": key_heads}
    declared = [tensor(n, FLOAT, ["n", "t", w]) for n, w in shapes.items()]
    declared.insert(3, tensor("past", FLOAT, ["n", key_heads, head_size, columns]))
    used = ["q", "k", "v", "past", "g" if rule.startswith("gated") else "", "r" if rule.endswith("delta") else ""]
    while not used[-1]:
        used.pop()
    model = make_model([node("LinearAttention", used, ["y", "present"], q_num_heads=heads, kv_num_heads=key_heads,
                             update_rule=rule)], declared, [tensor("y", FLOAT, None), tensor("present", FLOAT, None)], opset=27)

    def values(n, t):
        q, k, v, g, r = (ramp(n, t, w, scale=0.2 + i / 9) for i, w in enumerate(shapes.values()))
        return q, k, v, ramp(n, key_heads, head_size, columns), -np.abs(g), np.abs(r)
    return model, [case(list(x), list(expected(*x))) for x in (values(2, 5), values(1, 1))]


idioms({"linear_attention": ("linear", 2, 2, False), "linear_attention_gated": ("gated", 4, 2, True),
        "linear_attention_delta": ("delta", 4, 1, False), "linear_attention_gated_delta": ("gated_delta", 2, 2, True)},
       linear_attention)


@idiom
def swiglu():
    model = make_model([node("SwiGLU", ["a", "b"], ["y"], alpha=1.5)], [tensor(n, FLOAT, ["n", 7]) for n in "ab"],
                       [tensor("y", FLOAT, ["n", 7])], opset=28)
    return model, [case([a, b], [a * sigmoid(FLOAT(1.5) * a) * b]) for a, b in
                   ((ramp(n, 7), ramp(n, 7, scale=0.9)) for n in (3, 1))]


@idiom
def flex_attention():
    """A bias that the body captures, a mask by position, and weights that are scaled after the softmax."""
    inner = [4, "h", "l", "s"]
    score = graph([node("Add", ["scores", "bias"], ["biased"]), node("Where", ["mask", "biased", "low"], ["out"])],
                  [tensor("scores", FLOAT, inner)], [tensor("out", FLOAT, inner)], {"low": FLOAT(-np.inf)}, "score")
    weight = graph([node("Mul", ["weights", "half"], ["halved"])], [tensor("weights", FLOAT, inner)],
                   [tensor("halved", FLOAT, inner)], {"half": FLOAT(0.5)}, "weight")
    made = helper.make_node("FlexAttention", ["q", "k", "v"], ["y"], domain="ai.onnx.preview", score_mod=score,
                            prob_mod=weight)
    model = make_model([made], [tensor("q", FLOAT, ["n", 4, "l", 8]), tensor("k", FLOAT, ["n", 2, "s", 8]),
                                tensor("v", FLOAT, ["n", 2, "s", 6]), tensor("bias", FLOAT, ["l", "s"]),
                                tensor("mask", np.bool_, ["l", "s"])],
                       [tensor("y", FLOAT, None)], opset=25, domains={"ai.onnx.preview": 1})

    def values(n, rows, keys):
        q, k, v, bias = ramp(n, 4, rows, 8), ramp(n, 2, keys, 8), ramp(n, 2, keys, 6), ramp(rows, keys)
        mask = np.arange(keys) <= np.arange(rows)[:, None] + keys - rows
        k2, v2 = np.repeat(k, 2, 1), np.repeat(v, 2, 1)
        scores = np.where(mask, q @ k2.swapaxes(2, 3) / FLOAT(np.sqrt(8)) + bias, -np.inf)
        return case([q, k, v, bias, mask], [(softmax(scores) * FLOAT(0.5)) @ v2])
    return model, [values(2, 5, 7), values(1, 3, 3)]


@idiom
def attention_window():
    def expected(q, k, v):
        rows, keys = np.arange(q.shape[2])[:, None], np.arange(k.shape[2])
        seen = (keys >= rows - 2) & (keys <= rows + 1)
        scores = np.where(seen, q @ k.swapaxes(2, 3) / FLOAT(np.sqrt(8)), -np.inf)
        return softmax(scores) @ v
    model = make_model([node("Attention", ["q", "k", "v"], ["y"], left_window_size=2, right_window_size=1)],
                       [tensor(n, FLOAT, [1, 2, "l", 8]) for n in "qkv"], [tensor("y", FLOAT, None)], opset=25)
    return model, [case(list(x), [expected(*x)]) for x in
                   ([ramp(1, 2, n, 8, scale=s) for s in (0.3, 0.5, 0.7)] for n in (6, 9))]


@idiom
def operators_of_a_later_set():
    """Operators whose inputs and attributes are as they were run, whatever the number of the set."""
    model = make_model([node("Relu", ["x"], ["r"]), node("Transpose", ["r"], ["y"], perm=[1, 0])],
                       [tensor("x", FLOAT, ["n", 3])], [tensor("y", FLOAT, [3, "n"])], opset=31)
    return model, [case([x], [np.maximum(x, 0).T]) for x in (ramp(4, 3), ramp(1, 3))]


@idiom
def inverse_of_half_a_spectrum():
    model = make_model([node("DFT", ["x", "", "axis"], ["y"], inverse=1, onesided=1),
                        node("DFT", ["x", "length", "axis"], ["z"], inverse=1, onesided=1)], [tensor("x", FLOAT, ["n", 5, 2])],
                       [tensor("y", FLOAT, ["n", 8, 1]), tensor("z", FLOAT, ["n", 9, 1])], {"axis": np.int64(1), "length": np.int64(9)}, opset=20)

    def expected(x, length):
        return np.fft.irfft(x[..., 0] + 1j * x[..., 1], length, 1).astype(FLOAT)[..., None]
    return model, [case([x], [expected(x, 8), expected(x, 9)]) for x in (ramp(2, 5, 2), ramp(1, 5, 2))]


def exact_qlinear_matmul(types):
    """The result that exact arithmetic gives, rounded to even and saturated: -236 becomes -128, not 20."""
    dtype, scale_type = types
    shift = 127 if dtype == np.int8 else 0
    a = (np.int64([[208, 236, 0, 238], [3, 214, 255, 29]]) - shift).astype(dtype)
    b = (np.int64([[152, 51, 244], [60, 26, 255], [0, 127, 246], [127, 254, 247]]) - shift).astype(dtype)
    scales = {n: np.array(v, scale_type) for n, v in (("as", 0.0066), ("bs", 0.00705), ("ys", 0.0107))}
    zeros = {n: np.array(v - shift, dtype) for n, v in (("az", 113), ("bz", 114), ("yz", 118))}
    left, right, result = (Fraction(float(scales[n])) for n in ("as", "bs", "ys"))
    sums = (a.astype(np.int64) - int(zeros["az"])) @ (b.astype(np.int64) - int(zeros["bz"]))
    limits = np.iinfo(dtype)
    expected = [[min(max(round(int(s) * left * right / result) + int(zeros["yz"]), limits.min), limits.max) for s in row] for row in sums]
    model = make_model([node("QLinearMatMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["y"])],
                       [tensor("a", dtype, [2, 4]), tensor("b", dtype, [4, 3])], [tensor("y", dtype, [2, 3])], {**scales, **zeros}, opset=21)
    return model, [case([a, b], [np.array(expected, dtype)])]


idioms({f"qlinear_matmul_{np.dtype(t).name}_{np.dtype(s).name}": (t, s) for t in (np.int8, np.uint8) for s in (FLOAT, np.float16)},
       exact_qlinear_matmul)
