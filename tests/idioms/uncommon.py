"""Operators of ONNX Runtime that single models were written for."""
import struct

import numpy as np

from idiom import case, idiom, idioms, make_model, node, ramp, tensor

MICROSOFT = {"com.microsoft": 1}


def microsoft(op, inputs, outputs, declared, results, initializers=None, opset=17, **attributes):
    nodes = [node(op, inputs, outputs, domain="com.microsoft", **attributes)]
    return make_model(nodes, declared, results, initializers, opset, MICROSOFT)


@idiom
def products_of_words():
    """Sums of products of int16, which wrap."""
    model = microsoft("MatMulInteger16", ["a", "b"], ["y"], [tensor("a", np.int16, ["n", 3, 40]), tensor("b", np.int16, [40, 5])],
                      [tensor("y", np.int32, None)])
    cases = []
    for n in (1, 2, 7):
        a, b = ((ramp(*shape, scale=s) * 32767).astype(np.int16) for shape, s in (((n, 3, 40), 0.3), ((40, 5), 0.7)))
        y = a.astype(np.int64) @ b.astype(np.int64)
        cases.append(case([a, b], [y.astype(np.int32)]))
    return model, cases


def repeats(size):
    """Tokens that would repeat the last ones together with their successor are forbidden."""
    model = microsoft("NGramRepeatBlock", ["tokens", "scores"], ["y"],
                      [tensor("tokens", np.int64, ["b", "s"]), tensor("scores", np.float32, ["b", "v"])],
                      [tensor("y", np.float32, ["b", "v"])], ngram_size=size)
    cases = []
    for length in (1, 2, 3, 9, 30):
        tokens = np.int64([[i * i % 5 for i in range(length)], [i % 3 for i in range(length)], [7] * length])
        scores = ramp(3, 8)
        y = scores.copy()
        for row, out in zip(tokens.tolist(), y):
            last = row[length - size + 1:] if size > 1 else []
            for i in range(length - size + 1):
                if row[i:i + size - 1] == last:
                    out[row[i + size - 1]] = -np.inf
        cases.append(case([tokens, scores], [y]))
    return model, cases


idioms({f"repeats_of_{n}": n for n in (1, 2, 3, 4)}, repeats)


@idiom
def word_embedding():
    """Words of characters, a convolution over windows of three, and the greatest of each word."""
    w, bias, table = ramp(4, 1, 3, 6), ramp(4, scale=0.9), ramp(9, 6, scale=0.21)
    model = microsoft("WordConvEmbedding", ["words", "w", "bias", "table"], ["y"], [tensor("words", np.int32, ["s", "length"])],
                      [tensor("y", np.float32, ["s", 4])], {"w": w, "bias": bias, "table": table}, embedding_size=4,
                      conv_window_size=3, char_embedding_size=6)
    cases = []
    for rows in ([[1, 2, 3, 4, 5, 6], [7, 0, 0, 0, 0, 0], [8, 8, 1, 0, 0, 0], [5, 1, 2, 8, 0, 0]], [[3, 3, 3]], [[2, 1, 0, 0]]):
        y = []
        for word in rows:
            length = max(sum(k > 0 for k in word), 3)
            windows = [np.tanh((table[word[i:i + 3]] * w[:, 0]).sum((1, 2)) + bias) for i in range(length - 2)]
            y.append(np.max(windows, 0))
        cases.append(case([np.int32(rows)], [np.float32(y)]))
    return model, cases


def unfolded(dim):
    model = microsoft("UnfoldTensor", ["x"], ["y"], [tensor("x", np.float32, ["n", 3, "t"])], [tensor("y", np.float32, None)],
                      dim=dim, size=3, step=2)
    cases = []
    for shape in ((4, 3, 8), (3, 3, 3), (5, 3, 20)):
        x = ramp(*shape)
        y = np.lib.stride_tricks.sliding_window_view(x, 3, dim)
        cases.append(case([x], [y.take(range(0, y.shape[dim], 2), dim)]))
    return model, cases


idioms({"windows_of_the_first_axis": 0, "windows_of_a_fixed_axis": 1, "windows_of_the_last_axis": -1},
       lambda dim: unfolded(dim % 3))


def murmur(data, seed):
    """MurmurHash3 of 32 bits."""
    mask = 2**32 - 1
    rotate = lambda x, k: (x << k | x >> (32 - k)) & mask
    mix = lambda word: rotate(word * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    whole = len(data) // 4 * 4
    for word in struct.unpack(f"<{whole // 4}I", data[:whole]):
        seed = (rotate(seed ^ mix(word), 13) * 5 + 0xE6546B64) & mask
    seed ^= mix(int.from_bytes(data[whole:], "little")) ^ len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        seed = (seed ^ seed >> shift) * factor & mask
    return seed ^ seed >> 16


def hashes(kind, seed, positive):
    model = microsoft("MurmurHash3", ["x"], ["y"], [tensor("x", kind, ["n", 2])],
                      [tensor("y", np.uint32 if positive else np.int32, ["n", 2])], seed=seed, positive=positive)
    cases = []
    for n in (1, 3):
        x = (ramp(n, 2) * 1000).astype(kind)
        if kind is object:
            words = ["", "a", "Zürich", "four", "what is longer than a word", "12345678"]
            x = np.array(words[:2 * n], object).reshape(n, 2)
        of = [murmur(v.encode() if kind is object else v.tobytes(), seed) for v in x.ravel()]
        cases.append(case([x], [np.array(of, np.uint32).reshape(n, 2).astype(np.uint32 if positive else np.int32)]))
    return model, cases


idioms({"hashes_of_strings": (object, 0, 1), "hashes_with_a_sign": (object, 42, 0), "hashes_of_int32": (np.int32, 7, 1),
        "hashes_of_int64": (np.int64, 0, 0), "hashes_of_float32": (np.float32, 0, 1), "hashes_of_float64": (np.float64, 1, 1)},
       lambda a: hashes(*a))


def crops(mode, height, width):
    """Regions of images in parts of these, one of them beyond the border."""
    model = microsoft("CropAndResize", ["x", "regions", "image", "size"], ["y"],
                      [tensor("x", np.float32, ["n", 2, "h", "w"]), tensor("regions", np.float32, ["r", 4]), tensor("image", np.int32, ["r"])],
                      [tensor("y", np.float32, ["r", 2, height, width])], {"size": np.int32([height, width])}, mode=mode,
                      extrapolation_value=-7.0)
    cases = []
    for n, h, w in ((2, 5, 6), (1, 9, 4), (3, 1, 7)):
        x = ramp(n, 2, h, w)
        regions = np.float32([[0, 0, 1, 1], [0.25, 0.125, 0.875, 1.5], [1, 0.75, 0.25, 0], [0.5, 0.25, 0.5, 0.5]])
        image = np.int32([n - 1, 0, n - 1, 0])
        y = np.full((4, 2, height, width), -7, np.float32)
        for r, (region, k) in enumerate(zip(regions, image)):
            places = [[(a + b) / 2 * (size - 1)] if cells == 1 else np.linspace(a * (size - 1), b * (size - 1), cells)
                      for a, b, size, cells in ((region[0], region[2], h, height), (region[1], region[3], w, width))]
            for i, py in enumerate(places[0]):
                for j, px in enumerate(places[1]):
                    if not (0 <= py <= h - 1 and 0 <= px <= w - 1):
                        continue
                    if mode == "nearest":
                        y[r, :, i, j] = x[k, :, int(py + 0.5), int(px + 0.5)]
                        continue
                    t, l, b, q = int(py), int(px), int(np.ceil(py)), int(np.ceil(px))
                    top, bottom = ((1 - px + l) * x[k, :, row, l] + (px - l) * x[k, :, row, q] for row in (t, b))
                    y[r, :, i, j] = top + (bottom - top) * (py - t)
        cases.append(case([x, regions, image], [y]))
    return model, cases


idioms({"crops": ("bilinear", 4, 3), "crops_to_one_row": ("bilinear", 1, 5), "crops_of_nearest_pixels": ("nearest", 3, 4)},
       lambda a: crops(*a))


def transposed_convolution(pads_of_cases, constant):
    w = np.float32([[[[1, 2, 0], [0, 1, 3], [2, 0, 1]]]])
    initializers = {"w": w, "bias": np.float32([0.5])}
    declared = [tensor("x", np.float32, ["n", 1, "h", "w"])]
    if constant:
        initializers["pads"] = np.int64(pads_of_cases[0])
    else:
        declared.append(tensor("pads", np.int64, [4]))
    model = microsoft("ConvTransposeWithDynamicPads", ["x", "w", "pads", "bias"], ["y"], declared,
                      [tensor("y", np.float32, None)], initializers, strides=[2, 2])
    cases = []
    for (n, h, v), pads in zip(((1, 3, 4), (2, 5, 2), (1, 1, 1)), pads_of_cases):
        x = ramp(n, 1, h, v)
        full = np.zeros((n, 1, 2 * h + 1, 2 * v + 1), np.float32)
        for i in range(h):
            for j in range(v):
                full[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3] += x[:, :, i:i + 1, j:j + 1] * w
        y = full[:, :, pads[0]:full.shape[2] - pads[2], pads[1]:full.shape[3] - pads[3]] + np.float32(0.5)
        cases.append(case([x] if constant else [x, np.int64(pads)], [y]))
    return model, cases


idioms({"transposed_convolution_cut_by_an_input": ([(1, 0, 2, 1), (0, 0, 0, 0), (1, 1, 1, 1)], False),
        "transposed_convolution_cut_by_constants": ([(1, 0, 1, 1)] * 3, True)}, lambda a: transposed_convolution(*a))


@idiom
def warping():
    """The cheapest way through a table of costs, as time stamps of words are found in attentions."""
    model = microsoft("DynamicTimeWarping", ["x"], ["y"], [tensor("x", np.float32, [1, "rows", "columns"])],
                      [tensor("y", np.int32, [2, "length"])])
    cases = []
    for rows, columns in ((1, 1), (4, 9), (7, 3), (12, 40)):
        x = ramp(1, rows, columns)
        cost = np.full((rows + 1, columns + 1), np.inf, np.float32)
        cost[0, 0] = 0
        step = np.zeros((rows, columns), int)
        for i in range(rows):
            for j in range(columns):
                near = [cost[i, j], cost[i, j + 1], cost[i + 1, j]]
                least = min(near)
                step[i, j] = near.index(least) if near.count(least) == 1 else 2
                cost[i + 1, j + 1] = near[step[i, j]] + x[0, i, j]
        way, i, j = [], rows - 1, columns - 1
        while i >= 0 and j >= 0:
            way.append((i, j))
            i, j = i - (step[i, j] != 2), j - (step[i, j] != 1)
        cases.append(case([x], [np.int32(way[::-1]).T]))
    return model, cases


@idiom
def bifurcation():
    """What a prediction adds to tokens while it follows a source, and where these end in the source."""
    model = microsoft("BifurcationDetector", ["source", "tokens", "end", "predicted"], ["all", "next"],
                      [tensor("source", np.int64, ["s"]), tensor("tokens", np.int64, ["t"]), tensor("end", np.int64, []),
                       tensor("predicted", np.int64, ["p"])],
                      [tensor("all", np.int64, ["a"]), tensor("next", np.int64, [])], min_ngram_size=1, max_ngram_size=3)
    rows = [([1, 5, 3, 4], [2], 0, [1, 5, 9, 4, 6], [2, 1, 5, 9], -1),  # nothing in the source ends with 9
            ([1, 5, 3, 4], [2], 0, [1, 5, 3, 4, 6], [2, 1, 5, 3, 4, 6], -1),
            ([1, 5, 3, 4, 8], [2], 2, [3, 1, 8, 7], [2, 3, 1], 1),
            ([1, 5, 3, 1, 4, 8], [2], 1, [5, 1, 1, 4, 8, 0], [2, 5, 1], -1),  # 1 occurs twice, 5 1 does not occur
            ([6, 1, 5, 3, 1, 4], [2], 2, [5, 3, 1, 7, 2], [2, 5, 3, 1, 7], -1)]
    return model, [case([np.int64(s), np.int64(t), np.array(e, np.int64), np.int64(p)], [np.int64(a), np.array(n, np.int64)])
                   for s, t, e, p, a, n in rows]


def scores(kind):
    """The scores of an attention as a further result: with all that hides keys, before the softmax."""
    inputs = ["q", "k", "v", "", "mask" if kind == "padded" else "", "bias" if kind == "biased" else ""]
    declared = [tensor(name, np.float32, ["b", s, 8]) for name, s in (("q", "s"), ("k", "t"), ("v", "t"))]
    if kind == "padded":
        declared.append(tensor("mask", np.int32, ["b", "t"]))
    if kind == "biased":
        declared.append(tensor("bias", np.float32, [1, 2, "s", "t"]))
    model = microsoft("MultiHeadAttention", inputs, ["y", "", "", "qk"], declared,
                      [tensor("y", np.float32, ["b", "s", 8]), tensor("qk", np.float32, ["b", 2, "s", "t"])], num_heads=2,
                      unidirectional=int(kind == "causal"))
    cases = []
    for b, s, t in ((1, 3, 3), (2, 4, 4), (1, 20, 20)) if kind == "causal" else ((1, 3, 5), (2, 1, 7), (1, 20, 30)):
        q, k, v = ramp(b, s, 8), ramp(b, t, 8, scale=0.51), ramp(b, t, 8, scale=0.83)
        heads = lambda x: x.reshape(b, -1, 2, 4).transpose(0, 2, 1, 3).astype(np.float64)
        qk = heads(q) @ heads(k).swapaxes(-1, -2) / 2
        given = [q, k, v]
        if kind == "padded":
            given.append(np.int32([[i < t - 1 - n for i in range(t)] for n in range(b)]))
            qk = np.where(given[-1][:, None, None] != 0, qk, qk - 10000)
        if kind == "biased":
            given.append(ramp(1, 2, s, t, scale=0.11))
            qk = qk + given[-1]
        if kind == "causal":
            qk = np.where(np.tri(s, t, dtype=bool), qk, np.finfo(np.float32).min)
        p = np.exp(qk - qk.max(-1, keepdims=True))
        y = (p / p.sum(-1, keepdims=True)) @ heads(v)
        cases.append(case(given, [y.transpose(0, 2, 1, 3).reshape(b, s, 8).astype(np.float32), qk.astype(np.float32)]))
    return model, cases


idioms({f"scores_{kind}": kind for kind in ("plain", "padded", "biased", "causal")}, scores)
