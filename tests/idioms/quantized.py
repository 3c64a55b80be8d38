"""Quantized models as ONNX Runtime's quantizer and frameworks' exporters write them."""
import numpy as np

from idiom import case, idiom, idioms, make_model, node, ramp, tensor

MICROSOFT = {"com.microsoft": 1}


def dynamically_quantized(x):
    """Bytes, scale and zero point as DynamicQuantizeLinear computes them."""
    low, high = np.float32(min(x.min(), 0)), np.float32(max(x.max(), 0))
    scale = np.float32(1) if high == low else (high - low) / np.float32(255)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8), scale, np.uint8(zero)


def dynamic_product(x, w, scale, zero):
    q, own, own_zero = dynamically_quantized(x)
    whole = (q.astype(np.int64) - own_zero) @ (w.astype(np.int64) - zero.astype(np.int64))
    return whole.astype(np.float32) * (own * scale)


def quantized_lstm(options):
    """DynamicQuantizeLSTM: weights [directions, input, gates], with a scale for each direction or each column."""
    directions, dtype, per_column, lengths = options
    steps, inputs, hidden = 5, 6, 4
    width = 4 * hidden
    shape = (directions, width) if per_column else (directions,)
    low = np.iinfo(dtype).min

    def weights(k, seed):
        q = (np.arange(directions * k * width) * seed % 255 + low).reshape(directions, k, width).astype(dtype)
        scale = (np.abs(ramp(*shape, scale=0.3 + seed / 100)) * 0.004 + 0.003).astype(np.float32)
        zero = (np.zeros(shape) if per_column else np.full(shape, 3) + low + 128).astype(dtype)
        return q, scale, zero
    (w, ws, wz), (r, rs, rz) = weights(inputs, 37), weights(hidden, 53)
    bias = ramp(directions, 2 * width, scale=0.9)
    nodes = [node("DynamicQuantizeLSTM", ["x", "w", "r", "b", "lengths" if lengths else "", "h0", "c0", "", "ws", "wz", "rs", "rz"],
                  ["y", "h", "c"], domain="com.microsoft", hidden_size=hidden,
                  direction="bidirectional" if directions == 2 else "forward")]
    state = ["n", hidden]
    declared = [tensor("x", np.float32, ["t", "n", inputs])] + [tensor("lengths", np.int32, ["n"])] * lengths + [
        tensor(s, np.float32, [directions] + state) for s in ("h0", "c0")]
    model = make_model(nodes, declared, [tensor(y, np.float32, None) for y in ("y", "h", "c")],
                       {"w": w, "ws": ws, "wz": wz, "r": r, "rs": rs, "rz": rz, "b": bias}, domains=MICROSOFT)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def run(t, n):
        x, h0, c0 = ramp(t, n, inputs, scale=0.7), ramp(directions, n, hidden), ramp(directions, n, hidden, scale=0.11)
        ends = (np.arange(n) % 2 * -1 + t).astype(np.int32) if lengths else np.full(n, t)
        y, last = np.zeros((t, directions, n, hidden), np.float32), [h0.copy(), c0.copy()]
        for d in range(directions):
            projected = dynamic_product(x, w[d], ws[d], wz[d])
            h, c = last[0][d], last[1][d]
            for step in range(t):
                recurrent = dynamic_product(h, r[d], rs[d], rz[d])
                at = np.where(step < ends, (ends - 1 - step) if d else step, 0)
                gates = projected[at, np.arange(n)] + recurrent + bias[d, :width] + bias[d, width:]
                i, o, f, g = np.split(gates, 4, -1)
                cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                out = sigmoid(o) * np.tanh(cell)
                runs = (step < ends)[:, None]
                h, c = np.where(runs, out, h).astype(np.float32), np.where(runs, cell, c).astype(np.float32)
                for b in range(n):
                    if step < ends[b]:
                        y[at[b], d, b] = out[b]
            last[0][d], last[1][d] = h, c
        return case([x] + ([ends] if lengths else []) + [h0, c0], [y] + last)
    return model, [run(steps, 1), run(3, 2)]


idioms({"lstm": (1, np.int8, 0, 0), "lstm_unsigned": (1, np.uint8, 0, 0), "lstm_per_column": (1, np.int8, 1, 0),
        "lstm_both_ways": (2, np.int8, 0, 0), "lstm_of_lengths": (2, np.uint8, 0, 1)}, quantized_lstm)


# --- QuantizeLinear and DequantizeLinear around plain operators, as quantize_static writes them


def quantized(x, scale, zero):
    limits = np.iinfo(zero.dtype)
    return np.clip(np.rint(x / scale) + np.float32(zero), limits.min, limits.max).astype(zero.dtype)


def dequantized(q, scale, zero, axis=None):
    if axis is not None:
        shape = [-1 if d == axis else 1 for d in range(q.ndim)]
        scale, zero = scale.reshape(shape), zero.reshape(shape)
    return (q.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale


def rounded(x, scale, zero):
    return dequantized(quantized(x, scale, zero), scale, zero)


def static_network(options):
    """Conv, Relu, MaxPool and Gemm. `parameters`: the shape of scales that are one value; a zero point is a scalar."""
    activations, weights, per_channel = options.get("types", (np.uint8, np.int8, True))
    opset, domain = options.get("opset", 13), options.get("domain", "")
    shape = options.get("parameters", ())
    constants, nodes = {}, []

    def parameters(name, scale, zero, dtype):
        constants[name + "_scale"] = np.full(shape, scale, np.float32)
        constants[name + "_zero_point"] = np.array(zero, dtype)
        return np.float32(scale), np.array(zero, dtype)

    def pair(name, scale, low):
        """A pair after the value; its results are NAME_dequantized and the function that rounds in the same way."""
        wide = np.iinfo(activations).bits // 8
        zero = np.iinfo(activations).min + low * (256 ** (wide - 1))
        scale, zero = parameters(name, scale / 256 ** (wide - 1), zero, activations)
        given = [name + "_scale", name + "_zero_point"]
        nodes.append(node("QuantizeLinear", [name] + given, [name + "_quantized"], domain=domain))
        nodes.append(node("DequantizeLinear", [name + "_quantized"] + given, [name + "_dequantized"], domain=domain))
        return lambda x: rounded(x, scale, zero)

    def weight(name, dims, seed):
        limits = np.iinfo(weights)
        q = (np.arange(np.prod(dims)) * seed % 255 + (limits.min + 1)).reshape(dims).astype(weights)
        middle = 0 if weights == np.int8 else 131
        axis = {"axis": 0} if per_channel else {}
        if per_channel:
            scale = np.abs(ramp(dims[0])) * np.float32(0.01) + np.float32(0.002)
            zero = np.full(dims[0], middle, weights)
        else:
            scale, zero = np.full(shape, 0.007, np.float32), np.array(middle, weights)
        constants.update({name: q, name + "_scale": scale, name + "_zero_point": zero})
        nodes.append(node("DequantizeLinear", [name, name + "_scale", name + "_zero_point"], [name + "_dequantized"],
                          domain=domain, **axis))
        return dequantized(q, scale.reshape(-1), np.broadcast_to(zero, scale.shape).reshape(-1),
                           0) if per_channel else dequantized(q, scale.reshape(()), zero)

    def bias(name, count, x, w):
        """int32 in units of the product of the scales, with a DequantizeLinear of its own."""
        scale = (constants[x + "_scale"].reshape(-1) * constants[w + "_scale"].reshape(-1)).astype(np.float32)
        q = (ramp(count, scale=0.4) * 0.3 / scale).astype(np.int32)
        zero = np.zeros(scale.shape if per_channel else (), np.int32)
        constants.update({name: q, name + "_scale": scale, name + "_zero_point": zero})
        nodes.append(node("DequantizeLinear", [name, name + "_scale", name + "_zero_point"], [name + "_dequantized"],
                          domain=domain, **({"axis": 0} if per_channel else {})))
        return q.astype(np.float32) * scale

    round_x = pair("x", 0.009, 117)
    w1 = weight("w1", (6, 3, 3, 3), 37)
    b1 = bias("b1", 6, "x", "w1")
    nodes.append(node("Conv", ["x_dequantized", "w1_dequantized", "b1_dequantized"], ["c"], kernel_shape=[3, 3], pads=[1] * 4))
    nodes.append(node("Relu", ["c"], ["r"]))
    round_r = pair("r", 0.03, 0)
    nodes.append(node("MaxPool", ["r_dequantized"], ["p"], kernel_shape=[2, 2], strides=[2, 2]))
    round_p = pair("p", 0.03, 0)
    nodes.append(node("GlobalAveragePool", ["p_dequantized"], ["a"]))
    round_a = pair("a", 0.017, 0)
    nodes.append(node("Flatten", ["a_dequantized"], ["f"]))
    w2 = weight("w2", (5, 6), 53)
    b2 = bias("b2", 5, "a", "w2")
    nodes.append(node("Gemm", ["f", "w2_dequantized", "b2_dequantized"], ["g"], transB=1))
    round_g = pair("g", 0.021, 128)
    model = make_model(nodes, [tensor("x", np.float32, ["n", 3, "h", "w"])],
                       [tensor("g_dequantized", np.float32, ["n", 5])], constants, opset=opset,
                       domains=MICROSOFT if domain else None)

    def run(x):
        y = np.pad(round_x(x).astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
        h, w = x.shape[2:]
        windows = np.stack([y[:, :, i:i + h, j:j + w] for i in range(3) for j in range(3)], 2)
        c = np.einsum("nckhw,ock->nohw", windows, w1.reshape(6, 3, 9)) + b1[:, None, None]
        r = round_r(np.maximum(c, 0).astype(np.float32))
        p = round_p(r[:, :, :h // 2 * 2, :w // 2 * 2].reshape(len(x), 6, h // 2, 2, w // 2, 2).max((3, 5)))
        a = round_a(p.astype(np.float64).mean((2, 3)).astype(np.float32))
        return case([x], [round_g((a.astype(np.float64) @ w2.T + b2).astype(np.float32))])
    return model, [run(ramp(1, 3, 6, 8)), run(ramp(2, 3, 5, 7))]


idioms({"static_network": {}, "static_network_of_vectors": {"parameters": (1,)},
        "static_network_of_version_10": {"opset": 10, "parameters": (1,)},
        "static_network_signed": {"types": (np.int8, np.int8, True)},
        "static_network_unsigned": {"types": (np.uint8, np.uint8, False), "parameters": (1,)},
        "static_network_one_scale": {"types": (np.int8, np.int8, False)},
        "static_network_of_microsoft": {"domain": "com.microsoft"},
        "static_network_of_words": {"domain": "com.microsoft", "types": (np.uint16, np.int8, True)},
        "static_network_of_signed_words": {"opset": 21, "types": (np.int16, np.int8, True)}}, static_network)


# --- Integers whose scale only a run knows, as quantize_dynamic writes them


@idiom
def dynamic_products():
    """MatMulInteger and the product of both scales; the bias is added as float32."""
    weights = (np.arange(12 * 7) * 31 % 255 - 127).reshape(12, 7).astype(np.int8)
    scale, bias = np.float32([0.013]), ramp(7, scale=0.3)
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
             node("MatMulInteger", ["q", "w", "z", "wz"], ["i"]), node("Cast", ["i"], ["f"], to=1),
             node("Mul", ["s", "ws"], ["both"]), node("Mul", ["f", "both"], ["m"]), node("Add", ["b", "m"], ["y"])]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "s", 12])], [tensor("y", np.float32, ["n", "s", 7])],
                       {"w": weights, "ws": scale, "wz": np.int8(0), "b": bias}, opset=11)
    xs = (ramp(1, 3, 12), ramp(2, 5, 12, scale=0.8) * 3, np.zeros((1, 2, 12), np.float32))
    return model, [case([x], [dynamic_product(x, weights, scale, np.int8(0)) + bias]) for x in xs]


@idiom
def dynamic_convolution():
    """ConvInteger of unsigned weights with the zero point of both operands."""
    weights, zero = (np.arange(4 * 3 * 9) * 31 % 256).reshape(4, 3, 3, 3).astype(np.uint8), np.uint8(119)
    scale, bias = np.float32(0.013), ramp(1, 4, 1, 1, scale=0.3)
    nodes = [node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
             node("ConvInteger", ["q", "w", "z", "wz"], ["i"], kernel_shape=[3, 3], pads=[1] * 4, strides=[1, 1],
                  dilations=[1, 1], group=1),
             node("Cast", ["i"], ["f"], to=1), node("Mul", ["s", "ws"], ["both"]), node("Mul", ["f", "both"], ["m"]),
             node("Add", ["m", "b"], ["y"])]
    model = make_model(nodes, [tensor("x", np.float32, ["n", 3, "h", "w"])], [tensor("y", np.float32, None)],
                       {"w": weights, "ws": scale, "wz": zero, "b": bias}, opset=11)
    cases = []
    for x in (ramp(1, 3, 5, 6), ramp(2, 3, 4, 4, scale=0.9)):
        q, own, own_zero = dynamically_quantized(x)
        whole = np.pad(q.astype(np.int64) - own_zero, ((0, 0), (0, 0), (1, 1), (1, 1)))
        h, w = x.shape[2:]
        windows = np.stack([whole[:, :, i:i + h, j:j + w] for i in range(3) for j in range(3)], 2)
        product = np.einsum("nckhw,ock->nohw", windows, (weights.astype(np.int64) - zero).reshape(4, 3, 9))
        cases.append(case([x], [product.astype(np.float32) * (own * scale) + bias]))
    return model, cases
