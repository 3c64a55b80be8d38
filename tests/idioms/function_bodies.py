"""ONNX's functions written as the nodes of their bodies, as a tool that inlines schemas leaves them."""
import numpy as np
from onnx import helper

from idiom import case, const, graph, idiom, idioms, make_model, node, ramp, tensor

FLOAT = np.float32


def ints(name, *values):
    return node("Constant", [], [name], value_ints=list(values))


def number(name, value):
    return node("Constant", [], [name], value_float=float(value))


@idiom
def group_normalization():
    nodes = [number("e", 1e-5), node("Cast", ["e"], ["eps"], to=1), node("Cast", ["x"], ["xu"], to=1), node("Shape", ["x"], ["xs"]),
             node("Shape", ["x"], ["c"], start=1, end=2), ints("groups", 2), node("Div", ["c", "groups"], ["size"]),
             node("Shape", ["x"], ["n"], start=0, end=1), node("Shape", ["x"], ["rest"], start=2),
             node("Concat", ["n", "groups", "size", "rest"], ["new"], axis=0), node("Reshape", ["xu", "new"], ["xr"]),
             ints("flat", 0, 0, -1), node("Reshape", ["xr", "flat"], ["x3"]), ints("last", 2), node("ReduceMean", ["x3", "last"], ["mean"]),
             node("Mul", ["x3", "x3"], ["sq"]), node("ReduceMean", ["sq", "last"], ["msq"]), node("Mul", ["mean", "mean"], ["sqm"]),
             node("Sub", ["msq", "sqm"], ["var"]), node("Add", ["var", "eps"], ["ve"]), node("Sqrt", ["ve"], ["std"]), node("Sub", ["x3", "mean"], ["dev"]),
             node("Div", ["dev", "std"], ["norm"]), node("CastLike", ["norm", "x"], ["nt"]), node("Concat", ["n", "c", "minus"], ["ncs"], axis=0),
             node("Reshape", ["nt", "ncs"], ["nc"]), ints("sshape", -1, 1), node("Reshape", ["scale", "sshape"], ["sr"]),
             node("Reshape", ["bias", "sshape"], ["br"]), node("Mul", ["sr", "nc"], ["scaled"]), node("Add", ["scaled", "br"], ["biased"]),
             node("Reshape", ["biased", "xs"], ["y"])]
    nodes.insert(0, ints("minus", -1))
    model = make_model(nodes, [tensor("x", FLOAT, ["b", 4, "h", "w"]), tensor("scale", FLOAT, [4]), tensor("bias", FLOAT, [4])],
                       [tensor("y", FLOAT, ["b", 4, "h", "w"])], opset=21)

    def expected(x, scale, bias):
        g = x.reshape(x.shape[0], 2, -1).astype(np.float64)
        g = (g - g.mean(-1, keepdims=True)) / np.sqrt(g.var(-1, keepdims=True) + 1e-5)
        return (g.reshape(x.shape) * scale[:, None, None] + bias[:, None, None]).astype(FLOAT)
    return model, [case(list(v), [expected(*v)]) for v in ((ramp(n, 4, h, w), ramp(4), ramp(4, scale=0.8)) for n, h, w in ((2, 3, 5), (1, 4, 4)))]


@idiom
def rms_normalization():
    nodes = [number("e", 1e-5), ints("zero", 0), node("Cast", ["e"], ["eps"], to=1), node("Shape", ["x"], ["xs"]), node("Size", ["xs"], ["rank"]),
             ints("axis1", -1), const("steps", np.int64(1)), node("Constant", [], ["axis"], value_int=-1), node("Constant", [], ["none"], value_int=0),
             node("Range", ["axis", "none", "steps"], ["axes"]), node("Cast", ["x"], ["xu"], to=1), node("Mul", ["xu", "xu"], ["sq"]),
             node("ReduceMean", ["sq", "axes"], ["m"], keepdims=1), node("Add", ["m", "eps"], ["me"]), node("Sqrt", ["me"], ["rms"]),
             node("Div", ["xu", "rms"], ["norm"]), node("CastLike", ["norm", "x"], ["nt"]), node("Mul", ["nt", "scale"], ["y"])]
    model = make_model(nodes, [tensor("x", FLOAT, ["b", "t", 6]), tensor("scale", FLOAT, [6])], [tensor("y", FLOAT, ["b", "t", 6])], opset=23)
    return model, [case([x, s], [x / np.sqrt((x * x).mean(-1, keepdims=True) + FLOAT(1e-5)) * s]) for x, s in ((ramp(n, t, 6), ramp(6)) for n, t in ((2, 3), (1, 1)))]


def rotary(settings):
    interleaved, partial = settings
    width = 4 if partial else 8
    nodes = [ints("z", 0), ints("two", 2), ints("last", 3), ints("dim", width), ints("far", np.iinfo(np.int64).max),
             node("Slice", ["x", "z", "dim", "last"], ["turned"]), node("Slice", ["x", "dim", "far", "last"], ["kept"]),
             node("Gather", ["cos", "at"], ["c"]), node("Gather", ["sin", "at"], ["s"]), ints("head", 1), node("Unsqueeze", ["c", "head"], ["cu"]), node("Unsqueeze", ["s", "head"], ["su"])]
    if interleaved:
        nodes += [ints("one", 1), node("Slice", ["turned", "z", "far", "last", "two"], ["x1"]), node("Slice", ["turned", "one", "far", "last", "two"], ["x2"])]
    else:
        nodes += [node("Split", ["turned"], ["x1", "x2"], axis=3, num_outputs=2)]
    nodes += [node("Mul", ["cu", "x1"], ["cx1"]), node("Mul", ["su", "x2"], ["sx2"]), node("Sub", ["cx1", "sx2"], ["real"]),
              node("Mul", ["su", "x1"], ["sx1"]), node("Mul", ["cu", "x2"], ["cx2"]), node("Add", ["sx1", "cx2"], ["imag"])]
    if interleaved:
        nodes += [ints("minus", -1), node("Unsqueeze", ["real", "minus"], ["ru"]), node("Unsqueeze", ["imag", "minus"], ["iu"]), node("Concat", ["ru", "iu"], ["pairs"], axis=-1),
                  node("Shape", ["turned"], ["ts"]), node("Reshape", ["pairs", "ts"], ["done"])]
    else:
        nodes += [node("Concat", ["real", "imag"], ["done"], axis=-1)]
    nodes += [node("Concat", ["done", "kept"], ["y"], axis=-1)]
    table = np.arange(20)[:, None] / 10 ** (np.arange(width // 2) / 2)
    model = make_model(nodes, [tensor("x", FLOAT, ["b", 2, "t", 8]), tensor("at", np.int64, ["b", "t"])], [tensor("y", FLOAT, ["b", 2, "t", 8])],
                       {"cos": np.cos(table).astype(FLOAT), "sin": np.sin(table).astype(FLOAT)}, opset=23)

    def expected(x, at):
        c, s = (f(table).astype(FLOAT)[at][:, None] for f in (np.cos, np.sin))
        y = x.copy()
        first, second = (slice(0, width, 2), slice(1, width, 2)) if interleaved else (slice(0, width // 2), slice(width // 2, width))
        y[..., first], y[..., second] = c * x[..., first] - s * x[..., second], s * x[..., first] + c * x[..., second]
        return y
    values = [(ramp(n, 2, t, 8), np.arange(n * t, dtype=np.int64).reshape(n, t) % 20) for n, t in ((2, 5), (1, 1))]
    return model, [case([x, at], [expected(x, at)]) for x, at in values]


idioms({"rotary": (0, 0), "rotary_interleaved": (1, 0), "rotary_partial": (0, 1), "rotary_interleaved_partial": (1, 1)}, rotary)


@idiom
def attention():
    """With past and present, causal, capped, masked by bools: the body that shapes the scores' bias from sizes."""
    nodes = [node("Concat", ["pk", "k"], ["present_k"], axis=2), node("Concat", ["pv", "v"], ["present_v"], axis=2),
             node("Shape", ["q"], ["rows"], start=-2, end=-1), node("Shape", ["present_k"], ["keys"], start=-2, end=-1), node("Shape", ["pk"], ["past"], start=2, end=3),
             node("Concat", ["rows", "keys"], ["bias_shape"], axis=0), number("zero", 0), number("low", -np.inf),
             node("Expand", ["zero", "bias_shape"], ["bias0"]), node("Where", ["mask", "zero", "low"], ["bias_mask"]), node("Add", ["bias0", "bias_mask"], ["bias1"]),
             node("Constant", [], ["i0"], value_int=0), node("Constant", [], ["i1"], value_int=1), node("Squeeze", ["rows"], ["rows0"]), node("Squeeze", ["keys"], ["keys0"]), ints("u", 1), ints("u0", 0),
             node("Range", ["i0", "rows0", "i1"], ["rr"]), node("Range", ["i0", "keys0", "i1"], ["kk"]), node("Unsqueeze", ["rr", "u"], ["r2"]), node("Unsqueeze", ["kk", "u0"], ["k2"]),
             node("Add", ["r2", "past"], ["r3"]), node("Less", ["r3", "k2"], ["ahead"]), node("Where", ["ahead", "low", "bias1"], ["bias"]),
             node("Shape", ["q"], ["depth"], start=-1), node("Cast", ["depth"], ["df"], to=1), node("Sqrt", ["df"], ["sd"]), number("one", 1), node("Div", ["one", "sd"], ["scale"]),
             node("Sqrt", ["scale"], ["root"]), node("CastLike", ["root", "q"], ["rootq"]), node("Mul", ["q", "rootq"], ["qs"]),
             node("Shape", ["q"], ["qh"], start=1, end=2), node("Shape", ["k"], ["kh"], start=1, end=2), node("Div", ["qh", "kh"], ["reps"]), node("Unsqueeze", ["present_k", "two"], ["kx"]), node("Unsqueeze", ["present_v", "two"], ["vx"]),
             node("Shape", ["present_k"], ["b0"], start=0, end=1), node("Shape", ["present_k"], ["d0"], start=3, end=4), node("Shape", ["present_v"], ["dv"], start=3, end=4),
             node("Concat", ["b0", "kh", "reps", "keys", "d0"], ["kwide"], axis=0), node("Expand", ["kx", "kwide"], ["ke"]), node("Concat", ["b0", "kh", "reps", "keys", "dv"], ["vwide"], axis=0), node("Expand", ["vx", "vwide"], ["ve"]),
             node("Concat", ["b0", "qh", "keys", "d0"], ["kflat"], axis=0), node("Reshape", ["ke", "kflat"], ["kr"]), node("Concat", ["b0", "qh", "keys", "dv"], ["vflat"], axis=0), node("Reshape", ["ve", "vflat"], ["vr"]),
             node("Transpose", ["kr"], ["kt"], perm=[0, 1, 3, 2]), node("Mul", ["kt", "rootq"], ["ks"]), node("MatMul", ["qs", "ks"], ["scores"]),
             number("cap", 2), node("Div", ["scores", "cap"], ["sc"]), node("Tanh", ["sc"], ["th"]), node("Mul", ["th", "cap"], ["capped"]), node("Add", ["capped", "bias"], ["biased"]),
             node("Cast", ["biased"], ["bc"], to=1), node("Softmax", ["bc"], ["w"]), node("Cast", ["w"], ["wc"], to=1), node("MatMul", ["wc", "vr"], ["y"])]
    model = make_model([ints("two", 2)] + nodes, [tensor("q", FLOAT, ["b", 4, "l", 8]), tensor("k", FLOAT, ["b", 2, "s", 8]), tensor("v", FLOAT, ["b", 2, "s", 6]), tensor("mask", np.bool_, ["l", "total"]),
                                                tensor("pk", FLOAT, ["b", 2, "p", 8]), tensor("pv", FLOAT, ["b", 2, "p", 6])],
                       [tensor(n, FLOAT, None) for n in ("y", "present_k", "present_v")], opset=23)

    def values(b, rows, past):
        q, k, v, pk, pv = ramp(b, 4, rows, 8), ramp(b, 2, rows, 8, scale=0.5), ramp(b, 2, rows, 6), ramp(b, 2, past, 8), ramp(b, 2, past, 6, scale=0.6)
        mask = (np.arange(rows * (rows + past)) % 5 != 3).reshape(rows, rows + past)
        mask[:, 0] = True
        keys, vals = np.concatenate([pk, k], 2), np.concatenate([pv, v], 2)
        scores = 2 * np.tanh(q @ np.repeat(keys, 2, 1).swapaxes(2, 3) / np.sqrt(8) / 2)
        seen = mask & (np.arange(rows + past) <= np.arange(rows)[:, None] + past)
        e = np.exp(np.where(seen, scores, -np.inf))
        return case([q, k, v, mask, pk, pv], [(e / e.sum(-1, keepdims=True) @ np.repeat(vals, 2, 1)).astype(FLOAT), keys, vals])
    return model, [values(2, 4, 3), values(1, 1, 7)]


@idiom
def range_with_loop():
    """Range: the number of elements from a division, then a Loop that stacks what it counts."""
    body = graph([node("Identity", ["more"], ["more_out"]), node("Add", ["prev", "delta"], ["next"]), node("Identity", ["prev"], ["each"])],
                 [tensor("i", np.int64, []), tensor("more", np.bool_, []), tensor("prev", FLOAT, [])],
                 [tensor("more_out", np.bool_, []), tensor("next", FLOAT, []), tensor("each", FLOAT, [])], name="body")
    nodes = [node("Sub", ["limit", "start"], ["sub"]), node("Cast", ["sub"], ["sc"], to=1), node("Cast", ["delta"], ["dc"], to=1),
             node("Div", ["sc", "dc"], ["quotient"]), node("Ceil", ["quotient"], ["up"]), node("Relu", ["up"], ["positive"]),
             node("Cast", ["positive"], ["count"], to=7), node("Cast", ["positive"], ["any"], to=9),
             helper.make_node("Loop", ["count", "any", "start"], ["last", "y"], body=body)]
    model = make_model(nodes, [tensor(n, FLOAT, []) for n in ("start", "limit", "delta")], [tensor("y", FLOAT, ["n"])], opset=17)
    return model, [case([FLOAT(a), FLOAT(b), FLOAT(d)], [np.arange(a, b, d, dtype=FLOAT)]) for a, b, d in ((1, 5, 2), (10, 4, -1.5), (0, 9, 1))]


@idiom
def center_crop_pad():
    """Crops and pads [h, w, 3] to a shape: the body with Max, Min, halves and a Slice after a Pad."""
    nodes = [node("Shape", ["x"], ["xs"]), ints("axes", 0, 1), node("Gather", ["xs", "axes"], ["dims"]), node("Max", ["dims", "shape"], ["padded"]),
             node("Sub", ["padded", "dims"], ["more"]), ints("two", 2), node("Div", ["more", "two"], ["before"]), node("Sub", ["more", "before"], ["after"]),
             node("Concat", ["before", "after"], ["pads"], axis=0), node("Pad", ["x", "pads", "", "axes"], ["p"]),
             node("Shape", ["p"], ["ps"]), node("Gather", ["ps", "axes"], ["pd"]), node("Sub", ["pd", "shape"], ["less"]), node("Div", ["less", "two"], ["from"]), node("Add", ["from", "shape"], ["to"]),
             node("Slice", ["p", "from", "to", "axes"], ["y"])]
    model = make_model(nodes, [tensor("x", FLOAT, ["h", "w", 3]), tensor("shape", np.int64, [2])], [tensor("y", FLOAT, ["a", "b", 3])], opset=18)

    def expected(x, shape):
        for axis, n in enumerate(shape):
            more = max(n - x.shape[axis], 0)
            width = [(0, 0)] * 3
            width[axis] = (more // 2, more - more // 2)
            x = np.pad(x, width)
            first = (x.shape[axis] - n) // 2
            x = np.take(x, range(first, first + n), axis)
        return x
    return model, [case([x, np.int64(s)], [expected(x, s)]) for x, s in ((ramp(20, 10, 3), (10, 12)), (ramp(5, 9, 3), (8, 4)))]
