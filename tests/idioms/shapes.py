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
