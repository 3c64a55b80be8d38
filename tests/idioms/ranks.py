"""Ranks that only a run knows: squeezes under a condition, sequences, lists that a loop appends to."""
import numpy as np

from idiom import case, const, graph, idiom, idioms, make_model, node, ramp, sequence, tensor
from loops import TRUE, loop

I, F = np.int64, np.float32


def squeeze_if_one(x, axis, y, name="q"):
    """torch.squeeze(x, axis) as the scripting exporter writes it: nodes that make `y` of `x`."""
    n = lambda s: f"{name}_{s}"
    then = graph([const(n("axes"), I([axis])), node("Squeeze", [x, n("axes")], [n("t")])], [], [tensor(n("t"), F, None)])
    other = graph([node("Identity", [x], [n("e")])], [], [tensor(n("e"), F, None)])
    return [node("Shape", [x], [n("sh")]), const(n("axis"), I([axis])), node("Gather", [n("sh"), n("axis")], [n("d")]),
            const(n("one"), I([1])), node("Equal", [n("d"), n("one")], [n("eq")]),
            node("If", [n("eq")], [y], then_branch=then, else_branch=other)]


def softmax(v, axis=-1):
    e = np.exp(v - v.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def squeezed(after, expected, shapes, axis=2, dims=("a", "b", "c"), initializers=None):
    """A squeeze of any size, and the nodes after it."""
    model = make_model(squeeze_if_one("x", axis, "s") + after, [tensor("x", F, list(dims))], [tensor("y", F, None)],
                       initializers)

    def one(shape):
        x = ramp(*shape)
        return case([x], [expected(x.squeeze(axis) if shape[axis] == 1 else x)])
    return model, [one(s) for s in shapes]


SHAPES = [(2, 3, 1), (2, 3, 4), (1, 1, 1), (5, 2, 3)]

BEHIND = {
    "softmax": ([node("Softmax", ["s"], ["y"], axis=0)], lambda s: softmax(s, 0)),
    "where": ([const("z", F(0)), node("Greater", ["s", "z"], ["p"]), node("Neg", ["s"], ["m"]),
               node("Where", ["p", "s", "m"], ["y"])], np.abs),
    "slice": ([const("from", I([0])), const("to", I([1])), const("axis", I([-1])),
               node("Slice", ["s", "from", "to", "axis"], ["y"])], lambda s: s[..., :1]),
    "gather": ([const("at", I([0, 0])), node("Gather", ["s", "at"], ["y"], axis=1)], lambda s: s[:, [0, 0]]),
    "sum": ([node("Relu", ["s"], ["r"]), node("ReduceSum", ["r"], ["y"], keepdims=0)],
            lambda s: np.maximum(s, 0).sum(dtype=F)),
    "reshape": ([node("Shape", ["s"], ["sh2"]), const("first", I([0])), node("Gather", ["sh2", "first"], ["n"]),
                 const("rest", I([-1])), node("Concat", ["n", "rest"], ["to"], axis=0), node("Reshape", ["s", "to"], ["r"]),
                 node("Tanh", ["r"], ["y"])], lambda s: np.tanh(s.reshape(s.shape[0], -1))),
    "add": ([node("Exp", ["s"], ["e"]), node("Add", ["s", "e"], ["a"]), node("Transpose", ["a"], ["y"])],
            lambda s: (s + np.exp(s)).T),
}
idioms({f"squeeze_then_{name}": value for name, value in BEHIND.items()},
       (lambda f: (setattr(f, "__module__", __name__), f)[1])(lambda value: squeezed(*value, SHAPES)))


@idiom
def squeeze_then_conv():
    """Only one of the branches gives images, which a convolution needs."""
    after = [node("Conv", ["s", "w"], ["c"]), node("Relu", ["c"], ["r"]), node("GlobalAveragePool", ["r"], ["y"])]
    w = ramp(3, 2, 2, 2)

    def expected(s):
        n, _, h, v = s.shape
        windows = np.stack([s[:, :, i:i + h - 1, j:j + v - 1] for i in range(2) for j in range(2)], -1)
        c = np.einsum("nchvk,ock->nohv", windows, w.reshape(3, 2, 4))
        return np.maximum(c, 0).mean((2, 3), keepdims=True).astype(F)
    return squeezed(after, expected, [(1, 2, 4, 5, 1), (3, 2, 2, 2, 1)], 4, ("n", 2, "h", "w", "d"), {"w": w})


@idiom
def squeezes_in_a_row():
    """Two squeezes, each under its condition; the nodes after them have inputs of any rank."""
    nodes = squeeze_if_one("x", 2, "s") + squeeze_if_one("s", 0, "t", "r")
    nodes += [node("Sigmoid", ["t"], ["g"]), node("Mul", ["g", "t"], ["h"]), node("ReduceMax", ["h"], ["y"], keepdims=0)]
    model = make_model(nodes, [tensor("x", F, ["a", "b", "c"])], [tensor("y", F, [])])

    def one(*shape):
        x = ramp(*shape)
        return case([x], [(x / (1 + np.exp(-x))).max()])
    return model, [one(2, 3, 1), one(1, 3, 1), one(1, 2, 2), one(4, 2, 3)]


@idiom
def branch_known_by_an_initializer():
    """The condition is an initializer: its branch alone counts."""
    then = graph([const("axes", I([-1])), node("Squeeze", ["x", "axes"], ["t"])], [], [tensor("t", F, None)])
    other = graph([node("Identity", ["x"], ["e"])], [], [tensor("e", F, None)])
    model = make_model([node("If", ["eq"], ["s"], then_branch=then, else_branch=other), node("Softmax", ["s"], ["y"], axis=0)],
                       [tensor("x", F, ["t", "b", 1])], [tensor("y", F, None)], {"eq": np.array([True])})
    return model, [case([x], [softmax(x[..., 0], 0)]) for x in (ramp(2, 3, 1), ramp(5, 1, 1))]


@idiom
def branch_known_inside_a_branch():
    """The same condition again within a branch, which knows it."""
    inner = graph([node("Neg", ["x"], ["a"])], [], [tensor("a", F, None)])
    wrong = graph([node("Flatten", ["x"], ["b"], axis=0)], [], [tensor("b", F, None)])
    then = graph([node("If", ["p"], ["t0"], then_branch=inner, else_branch=wrong), node("MatMul", ["t0", "w"], ["t"])], [],
                 [tensor("t", F, None)])
    other = graph([node("MatMul", ["x", "w"], ["e"])], [], [tensor("e", F, None)])
    w = ramp(3, 2)
    model = make_model([node("If", ["p"], ["y"], then_branch=then, else_branch=other)],
                       [tensor("p", np.bool_, []), tensor("x", F, ["n", 3])], [tensor("y", F, None)], {"w": w})
    return model, [case([np.bool_(p), x], [(-x if p else x) @ w]) for p in (True, False) for x in (ramp(1, 3), ramp(4, 3))]


@idiom
def list_appended_in_a_loop():
    """outs = []; for i in range(n): outs.append(x + i); torch.stack(outs)"""
    body = loop([node("Cast", ["i"], ["f"], to=1), node("Add", ["x", "f"], ["r"]), node("SequenceInsert", ["l", "r"], ["l2"])],
                [("l", F, "list", "l2")])
    model = make_model([TRUE, node("SequenceEmpty", [], ["e"], dtype=1), node("Loop", ["n", "true", "e"], ["l"], body=body),
                        node("ConcatFromSequence", ["l"], ["s"], axis=0, new_axis=1), node("Softmax", ["s"], ["y"], axis=0)],
                       [tensor("n", I, []), tensor("x", F, ["b", 4])], [tensor("y", F, None)])

    def one(n, b):
        x = ramp(b, 4)
        return case([I(n), x], [softmax(np.stack([x + F(i) for i in range(n)]), 0)])
    return model, [one(1, 1), one(3, 2), one(6, 3)]


@idiom
def list_read_in_a_loop():
    """outs.append(f(outs[-1]) if outs else x): the list is empty in the first round."""
    then = graph([const("last", I(-1)), node("SequenceAt", ["l", "last"], ["prev"]), node("Mul", ["prev", "half"], ["h"]),
                  node("Add", ["h", "x"], ["t"])], [], [tensor("t", F, None)])
    other = graph([node("Identity", ["x"], ["e"])], [], [tensor("e", F, None)])
    body = loop([node("SequenceLength", ["l"], ["len"]), const("zero", I(0)), node("Greater", ["len", "zero"], ["some"]),
                 node("If", ["some"], ["r"], then_branch=then, else_branch=other), node("SequenceInsert", ["l", "r"], ["l2"])],
                [("l", F, "list", "l2")])
    model = make_model([TRUE, const("half", F(0.5)), node("SequenceEmpty", [], ["e"]),
                        node("Loop", ["n", "true", "e"], ["l"], body=body),
                        node("ConcatFromSequence", ["l"], ["y"], axis=1)],
                       [tensor("n", I, []), tensor("x", F, ["b", 2])], [tensor("y", F, None)])

    def one(n, b):
        x, rows = ramp(b, 2), []
        for _ in range(n):
            rows.append(rows[-1] * F(0.5) + x if rows else x)
        return case([I(n), x], [np.concatenate(rows, 1)])
    return model, [one(1, 1), one(4, 3)]


@idiom
def repeats_by_a_tensor():
    """torch.repeat_interleave(x, repeats, dim=0): parts of length 1, each expanded, in a Loop over them."""
    body = loop([node("SequenceAt", ["r_parts", "i"], ["r"]), node("SequenceAt", ["x_parts", "i"], ["p"]),
                 const("ax1", I([1])), node("Unsqueeze", ["p", "ax1"], ["p1"]), const("head", I([1])), const("tail", I([3])),
                 node("Concat", ["head", "r", "tail"], ["to"], axis=0), node("Shape", ["to"], ["tos"]),
                 node("ConstantOfShape", ["tos"], ["ones"], value=I([1])), const("m1", I(-1)),
                 node("Mul", ["ones", "m1"], ["minus"]), node("Equal", ["to", "minus"], ["eq"]),
                 node("Where", ["eq", "ones", "to"], ["to2"]), node("Expand", ["p1", "to2"], ["wide"]),
                 const("flat", I([-1, 3])), node("Reshape", ["wide", "flat"], ["rows"]),
                 node("SequenceInsert", ["l", "rows"], ["l2"])], [("l", F, "list", "l2")])
    model = make_model([TRUE, const("single", I(1)), node("SplitToSequence", ["repeats", "single"], ["r_parts"], axis=0),
                        node("SplitToSequence", ["x", "single"], ["x_parts"], axis=0), node("SequenceEmpty", [], ["e"]),
                        node("SequenceLength", ["r_parts"], ["n"]), node("Loop", ["n", "true", "e"], ["l"], body=body),
                        node("ConcatFromSequence", ["l"], ["z"], axis=0), node("MatMul", ["z", "w"], ["y"])],
                       [tensor("x", F, ["n", 3]), tensor("repeats", I, ["n"])], [tensor("y", F, None)], {"w": ramp(3, 2)})

    def one(*repeats):
        x = ramp(len(repeats), 3)
        return case([x, I(repeats)], [np.repeat(x, repeats, 0) @ ramp(3, 2)])
    return model, [one(1), one(2, 0, 3), one(1, 4, 1, 2)]


@idiom
def elements_of_a_split():
    """Rows of a split are taken, changed and joined again."""
    nodes = [node("SplitToSequence", ["x"], ["parts"], axis=0, keepdims=0), const("zero", I(0)), const("last", I(-1)),
             node("SequenceAt", ["parts", "zero"], ["first"]), node("SequenceAt", ["parts", "last"], ["end"]),
             node("MatMul", ["first", "w"], ["a"]), node("MatMul", ["end", "w"], ["b"]),
             node("SequenceConstruct", ["a", "b", "a"], ["l"]), node("ConcatFromSequence", ["l"], ["c"], axis=0),
             node("LayerNormalization", ["c", "g"], ["y"], axis=-1)]
    w, g = ramp(4, 3), np.ones(3, F)
    model = make_model(nodes, [tensor("x", F, ["n", "m", 4])], [tensor("y", F, None)], {"w": w, "g": g})

    def one(n, m):
        x = ramp(n, m, 4)
        c = np.concatenate([x[0] @ w, x[-1] @ w, x[0] @ w])
        mean, var = c.mean(1, keepdims=True), c.var(1, keepdims=True)
        return case([x], [((c - mean) / np.sqrt(var + 1e-5)).astype(F)])
    return model, [one(1, 1), one(3, 2), one(5, 4)]


@idiom
def sequence_of_several_ranks():
    """Elements of different rank; a later node reads each as it is."""
    nodes = [const("ax", I([0])), node("Unsqueeze", ["x", "ax"], ["x3"]), node("SequenceConstruct", ["x", "x3"], ["l"]),
             node("SequenceAt", ["l", "at"], ["e"]), node("Softmax", ["e"], ["s"], axis=0), node("Mul", ["s", "e"], ["m"]),
             node("ReduceSum", ["m"], ["y"], keepdims=0)]
    model = make_model(nodes, [tensor("x", F, ["n", 3]), tensor("at", I, [])], [tensor("y", F, [])])

    def one(n, at):
        x = ramp(n, 3)
        e = x[None] if at else x
        return case([x, I(at)], [(softmax(e, 0) * e).sum(dtype=F)])
    return model, [one(2, 0), one(2, 1), one(5, 0), one(1, 1)]


@idiom
def sum_that_begins_as_a_number():
    """total = 0; for i in range(n): total = total + x * i; the state is a number, then of the shape of x."""
    body = loop([node("Cast", ["i"], ["f"], to=1), node("Mul", ["x", "f"], ["p"]), node("Add", ["s", "p"], ["s2"])],
                [("s", F, None, "s2")])
    model = make_model([TRUE, const("start", F(0.5)), node("Loop", ["n", "true", "start"], ["l"], body=body),
                        node("Exp", ["l"], ["y"])], [tensor("n", I, []), tensor("x", F, ["b", 2])], [tensor("y", F, None)])

    def one(n, b):
        x = ramp(b, 2)
        return case([I(n), x], [np.exp(F(0.5) + x * F(n * (n - 1) // 2)) if n else np.exp(F(0.5))])
    return model, [one(0, 3), one(1, 2), one(4, 5)]


@idiom
def branches_of_different_lists():
    """Branches that give lists, whose elements are then stacked."""
    then = graph([node("SequenceConstruct", ["x", "x"], ["t"])], [], [sequence("t", F)])
    other = graph([node("SplitToSequence", ["z"], ["e"], axis=0, keepdims=0)], [], [sequence("e", F)])
    model = make_model([node("If", ["p"], ["l"], then_branch=then, else_branch=other),
                        node("ConcatFromSequence", ["l"], ["s"], axis=0, new_axis=1), node("ReduceMean", ["s"], ["y"], axes=[0])],
                       [tensor("p", np.bool_, []), tensor("x", F, ["a", 2]), tensor("z", F, ["k", "a", 2])],
                       [tensor("y", F, None)], opset=13)

    def one(p, a, k):
        x, z = ramp(a, 2), ramp(k, a, 2, scale=0.6)
        return case([np.bool_(p), x, z], [x[None] if p else z.mean(0, keepdims=True, dtype=F)])
    return model, [one(True, 2, 3), one(False, 2, 3), one(False, 1, 1)]


@idiom
def list_stacked_twice():
    """Equal lists are stacked in two places; how many elements they have, only the run knows."""
    body = loop([node("ReduceMean", ["s"], ["m"], keepdims=0), node("Add", ["s", "m"], ["s2"]), node("Identity", ["m"], ["o"])],
                [("s", F, None, "s2")], [("o", F)])
    nodes = [TRUE, node("Loop", ["n", "true", "x"], ["last", "means"], body=body), const("zero", I([0])), const("first", I(0))]
    for k in "ab":
        nodes += [node("Neg", ["means"], [f"minus_{k}"]), node("SequenceConstruct", ["means", f"minus_{k}"], [f"l_{k}"]),
                  node("ConcatFromSequence", [f"l_{k}"], [f"s_{k}"], axis=0, new_axis=1)]
    nodes += [node("Tanh", ["s_a"], ["y"]), node("Shape", ["s_b"], ["sh"]), node("Gather", ["sh", "first"], ["d"]),
              node("Unsqueeze", ["d", "zero"], ["d1"]), const("rest", I([-1])), node("Concat", ["d1", "rest"], ["to"], axis=0),
              node("Reshape", ["s_b", "to"], ["z"])]
    model = make_model(nodes, [tensor("n", I, []), tensor("x", F, ["b", 2])], [tensor("y", F, None), tensor("z", F, None)])

    def one(n, b):
        x, means = ramp(b, 2), []
        for _ in range(n):
            means.append(x.mean(dtype=F))
            x = x + means[-1]
        s = np.stack([F(means), -F(means)])
        return case([I(n), ramp(b, 2)], [np.tanh(s), s])
    return model, [one(1, 2), one(3, 1)]


@idiom
def list_in_a_branch_of_padded_images():
    """A body inside a branch needs a size of the model's input that the branch itself does not."""
    body = loop([node("Cast", ["i"], ["f"], to=1), node("Add", ["p", "f"], ["a"]), node("SequenceInsert", ["l", "a"], ["l2"])],
                [("l", F, "list", "l2")])
    then = graph([node("SequenceEmpty", [], ["e"]), node("Loop", ["n", "true", "e"], ["list"], body=body),
                  node("ConcatFromSequence", ["list"], ["t"], axis=0)], [], [tensor("t", F, None)])
    other = graph([node("Identity", ["p"], ["o"])], [], [tensor("o", F, None)])
    model = make_model([TRUE, const("pads", I([0, 1, 0, 2])), node("Pad", ["x", "pads"], ["p"]),
                        node("If", ["c"], ["y"], then_branch=then, else_branch=other)],
                       [tensor("c", np.bool_, []), tensor("n", I, []), tensor("x", F, ["a", "b"])], [tensor("y", F, None)])

    def one(c, n, a, b):
        x = ramp(a, b)
        p = np.pad(x, ((0, 0), (1, 2)))
        return case([np.bool_(c), I(n), x], [np.concatenate([p + F(i) for i in range(n)]) if c else p])
    return model, [one(True, 1, 2, 3), one(True, 3, 1, 1), one(False, 2, 2, 2)]


@idiom
def branch_for_another_rank():
    """if use_pad: F.pad(s, ...) of images, after a squeeze that may have made a matrix: such a run does not pad."""
    then = graph([const("pads", I([0, 0, 1, 0, 0, 2])), node("Pad", ["s", "pads"], ["t"])], [], [tensor("t", F, None)])
    other = graph([node("Identity", ["s"], ["o"])], [], [tensor("o", F, None)])
    nodes = squeeze_if_one("x", 0, "s") + [node("If", ["c"], ["p"], then_branch=then, else_branch=other),
                                           node("Relu", ["p"], ["y"])]
    model = make_model(nodes, [tensor("c", np.bool_, []), tensor("x", F, ["a", "b", "d"])], [tensor("y", F, None)])

    def one(c, *shape):
        x = ramp(*shape)
        s = x[0] if shape[0] == 1 else x
        return case([np.bool_(c), x], [np.maximum(np.pad(s, ((0, 0), (0, 0), (1, 2))) if c else s, 0)])
    return model, [one(True, 2, 3, 4), one(False, 1, 3, 4), one(False, 2, 2, 2)]
