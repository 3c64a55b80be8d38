"""Transformers as ONNX Runtime's optimizer fuses and its quantizer rewrites them."""
import numpy as np

from idiom import case, idiom, make_model, node, ramp, tensor

MICROSOFT = "com.microsoft"
HEADS, FEATURES = 2, 4
WIDTH = HEADS * FEATURES


def as_bytes(x, scale, zero):
    return np.clip(np.rint(x / np.float32(scale)) + int(zero), 0, 255).astype(np.uint8)


def of_bytes(q, scale, zero):
    return (q.astype(np.int32) - int(zero)).astype(np.float32) * np.float32(scale)


@idiom
def embeddings_of_bytes():
    """QEmbedLayerNormalization: tables of bytes, each with a scale and a zero point, which follow the mask."""
    scales, zeros = [0.01, 0.02, 0.03, 0.015, 0.005], [128, 120, 100, 3, 130]
    shapes = [(11, WIDTH), (6, WIDTH), (2, WIDTH), (WIDTH,), (WIDTH,)]
    tables = [as_bytes(ramp(*s, scale=0.3 + 0.1 * k), scales[k], zeros[k]) for k, s in enumerate(shapes)]
    constants = {name: value for k, t in enumerate(tables)
                 for name, value in ((f"t{k}", t), (f"s{k}", np.float32(scales[k])), (f"z{k}", np.uint8(zeros[k])))}
    tables_of = [[f"{c}{k}" for k in range(5)] for c in "tsz"]
    inputs = ["ids", "segments"] + tables_of[0] + ["mask"] + tables_of[1] + tables_of[2]
    ids = np.int32
    model = make_model([node("QEmbedLayerNormalization", inputs, ["y", "lengths"], domain=MICROSOFT, epsilon=1e-6)],
                       [tensor(n, ids, ["b", "s"]) for n in ("ids", "segments", "mask")],
                       [tensor("y", np.float32, ["b", "s", WIDTH]),
                        tensor("lengths", ids, ["b"])], constants, domains={MICROSOFT: 1})
    words, positions, segments, gamma, beta = (of_bytes(t, s, z) for t, s, z in zip(tables, scales, zeros))
    cases = []
    for b, s in ((2, 5), (1, 1)):
        word, segment = (np.arange(b * s) * 7 % 11).reshape(b, s), (np.arange(b * s) % 2).reshape(b, s)
        mask = (np.arange(s)[None] < s - np.arange(b)[:, None]).astype(ids)
        x = words[word] + positions[None, :s] + segments[segment]
        x = x - x.mean(-1, keepdims=True)
        y = x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-6) * gamma + beta
        cases.append(case([word.astype(ids), segment.astype(ids), mask], [y.astype(np.float32), mask.sum(1).astype(ids)]))
    return model, cases


@idiom
def attention_of_bytes_with_past():
    """QAttention of a decoder: earlier keys and values in one tensor, a scale for each column of the weights."""
    weights = (np.arange(WIDTH * 3 * WIDTH) * 31 % 255 - 127).reshape(WIDTH, 3 * WIDTH).astype(np.int8)
    scales, bias = np.abs(ramp(3 * WIDTH)) * np.float32(0.003) + np.float32(0.002), ramp(3 * WIDTH, scale=0.6)
    inputs = ["x", "w", "bias", "xs", "ws", "", "xz", "wz", "past"]
    model = make_model([node("QAttention", inputs, ["y", "present"], domain=MICROSOFT, num_heads=HEADS,
                             unidirectional=1)],
                       [tensor("x", np.uint8, ["b", "s", WIDTH]),
                        tensor("past", np.float32, [2, "b", HEADS, "p", FEATURES])],
                       [tensor("y", np.float32, None), tensor("present", np.float32, None)],
                       {"w": weights, "bias": bias, "xs": np.float32(0.02), "ws": scales, "xz": np.uint8(120),
                        "wz": np.zeros(3 * WIDTH, np.int8)}, domains={MICROSOFT: 1})
    cases = []
    for b, s, p in ((2, 3, 2), (1, 1, 4)):
        x, past = as_bytes(ramp(b, s, WIDTH, scale=0.8), 0.02, 120), ramp(2, b, HEADS, p, FEATURES, scale=0.9)
        rows = of_bytes(x, 0.02, 120).astype(np.float64) @ (weights * scales.astype(np.float64)) + bias
        q, k, v = np.moveaxis(rows.reshape(b, s, 3, HEADS, FEATURES), (2, 3), (0, 2))
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
        scores = q @ np.swapaxes(k, 2, 3) / np.sqrt(FEATURES)
        scores = np.where(np.arange(p + s)[None] <= p + np.arange(s)[:, None], scores, -np.inf)
        chances = np.exp(scores - scores.max(-1, keepdims=True))
        y = chances / chances.sum(-1, keepdims=True) @ v
        cases.append(case([x, past], [np.moveaxis(y, 1, 2).reshape(b, s, WIDTH).astype(np.float32),
                                      np.stack([k, v]).astype(np.float32)]))
    return model, cases
