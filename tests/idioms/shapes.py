"""Arithmetic on shapes as torch's tracing exporter writes it."""
import numpy as np

from idiom import case, const, idiom, make_model, node, ramp, tensor


@idiom
def view_with_sizes():
    """x.view(x.size(0), x.size(1) * 2, -1)"""
    nodes = [node("Shape", ["x"], ["s"]), const("i0", np.int64(0)), node("Gather", ["s", "i0"], ["n"], axis=0),
             node("Shape", ["x"], ["t"]), const("i1", np.int64(1)), node("Gather", ["t", "i1"], ["c"], axis=0),
             const("two", np.int64(2)), node("Mul", ["c", "two"], ["c2"]), const("axes", np.int64([0])),
             node("Unsqueeze", ["n", "axes"], ["n1"]), node("Unsqueeze", ["c2", "axes"], ["c1"]),
             const("rest", np.int64([-1])), node("Concat", ["n1", "c1", "rest"], ["shape"], axis=0),
             node("Reshape", ["x", "shape"], ["y"])]
    model = make_model(nodes, [tensor("x", np.float32, ["n", "c", 6])], [tensor("y", np.float32, ["n", "a", "b"])])
    return model, [case([x], [x.reshape(x.shape[0], x.shape[1] * 2, -1)]) for x in (ramp(1, 2, 6), ramp(3, 5, 6))]


@idiom
def pads_of_f_pad():
    """F.pad(x, (1, 2)) of an image: sizes of the pads, an empty part of a Concat, reversal, Transpose."""
    nodes = [const("given", np.int64([1, 2])), const("none", np.int64([4])),
             node("ConstantOfShape", ["none"], ["zeros"], value=np.int64([0])),
             node("Concat", ["given", "zeros"], ["all"], axis=0), const("pairs", np.int64([-1, 2])),
             node("Reshape", ["all", "pairs"], ["p"]), const("axis", np.int64([0])), const("last", np.int64([-1])),
             const("first", np.int64([np.iinfo(np.int64).min + 1])), const("step", np.int64([-1])),
             node("Slice", ["p", "last", "first", "axis", "step"], ["reversed"]),
             node("Transpose", ["reversed"], ["turned"], perm=[1, 0]), const("flat", np.int64([-1])),
             node("Reshape", ["turned", "flat"], ["r"]), node("Cast", ["r"], ["pads"], to=7),
             const("value", np.float32(0.5)), node("Pad", ["x", "pads", "value"], ["y"], mode="constant")]
    model = make_model(nodes, [tensor("x", np.float32, [2, "h", "w"])], [tensor("y", np.float32, None)])

    def padded(x):
        return np.pad(x, ((0, 0), (0, 0), (1, 2)), constant_values=np.float32(0.5))
    return model, [case([x], [padded(x)]) for x in (ramp(2, 3, 4), ramp(2, 1, 7))]


@idiom
def mask_of_sizes_that_a_run_chooses():
    """softmax(x + mask[:, :, :q, :k]), where a run gives q and k: each is 1 or the size of x"""
    nodes = [const("start", np.int64([0, 0])), const("axes", np.int64([2, 3])),
             node("Slice", ["mask", "start", "ends", "axes"], ["m"]), node("Add", ["x", "m"], ["z"]),
             node("Softmax", ["z"], ["y"], axis=-1)]
    model = make_model(nodes, [tensor("x", np.float32, ["b", 3, "q", "k"]), tensor("mask", np.float32, ["b", 1, 20, 40]),
                               tensor("ends", np.int64, [2])], [tensor("y", np.float32, None)])

    def softmax(z):
        e = np.exp(z - z.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    x, mask = ramp(2, 3, 4, 35), ramp(2, 1, 20, 40)
    return model, [case([x, mask, np.int64([q, k])], [softmax(x + mask[:, :, :q, :k])])
                   for q, k in ((4, 35), (1, 35), (4, 1), (1, 1))]


@idiom
def bias_of_the_last_positions():
    """MPT: of a table for 16 positions the last P + S, masked by a mask of as many; of a square mask the last S rows."""
    start, size = np.int64([0]), np.iinfo(np.int64).max
    ints = {"i1": np.int64(1), "zero": np.int64(0), "axis0": start, "axis1": np.int64([1]), "axis3": np.int64([3]),
            "end": np.int64([size]), "least": np.float32(-9), "sixteen": np.int64(16),
            "table": ramp(1, 2, 1, 16)}
    nodes = [node("Shape", ["past"], ["ps"]), node("Gather", ["ps", "i1"], ["p"]), node("Shape", ["x"], ["xs"]),
             node("Gather", ["xs", "i1"], ["s"]), node("Add", ["p", "s"], ["t"]), node("Sub", ["sixteen", "t"], ["rest"]),
             node("Max", ["zero", "rest"], ["from"]), node("Unsqueeze", ["from", "axis0"], ["from1"]),
             node("Slice", ["table", "from1", "end", "axis3"], ["bias"]), node("Not", ["mask"], ["hidden"]),
             node("Where", ["hidden", "least", "bias"], ["masked"]), node("Concat", ["past", "x"], ["all"], axis=1),
             node("Unsqueeze", ["all", "axis1"], ["row"]), node("Unsqueeze", ["row", "axis1"], ["row4"]),
             node("Add", ["row4", "masked"], ["y"]), node("Neg", ["s"], ["minus"]),
             node("Unsqueeze", ["minus", "axis0"], ["minus1"]), node("Slice", ["all", "minus1", "end", "axis1"], ["z"])]
    model = make_model(nodes, [tensor("mask", np.bool_, ["m"]), tensor("past", np.float32, ["b", "p"]),
                               tensor("x", np.float32, ["b", "s"])],
                       [tensor("y", np.float32, None), tensor("z", np.float32, None)], ints)

    def one(b, p, s):
        mask, past, x = np.arange(p + s) > 0, ramp(b, p), ramp(b, s, scale=0.6)
        masked = np.where(mask, ints["table"][:, :, :, 16 - p - s:], np.float32(-9))
        return case([mask, past, x], [np.concatenate([past, x], 1)[:, None, None] + masked, x])
    return model, [one(2, 0, 3), one(1, 4, 1), one(2, 3, 2)]


@idiom
def timesteps_of_a_batch():
    """Diffusion: timesteps.expand(batch), where a run gives one timestep for all images, or one for each."""
    nodes = [node("Shape", ["x"], ["s"]), const("zero", np.int64([0])), const("one", np.int64([1])),
             node("Slice", ["s", "zero", "one"], ["n"]), node("Expand", ["t", "n"], ["all"]),
             const("rest", np.int64([-1, 1, 1])), node("Reshape", ["all", "rest"], ["each"]),
             node("Add", ["x", "each"], ["y"])]
    model = make_model(nodes, [tensor("x", np.float32, ["batch", 2, "w"]), tensor("t", np.float32, ["steps"])],
                       [tensor("y", np.float32, ["batch", 2, "w"])])
    return model, [case([x, t], [x + t.reshape(-1, 1, 1)])
                   for x, t in ((ramp(3, 2, 4), ramp(1)), (ramp(3, 2, 5), ramp(3)), (ramp(1, 2, 4), ramp(1)))]
