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

    def weights(depth, seed):
        q = (np.arange(directions * depth * width) * seed % 255 + low).reshape(directions, depth, width).astype(dtype)
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
