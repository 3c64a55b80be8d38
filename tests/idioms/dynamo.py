"""Models as torch's exporter by torch.export and onnxscript's library of functions writes them."""
import numpy as np

from idiom import case, idiom, make_model, node, ramp, tensor


@idiom
def unbind():
    """x.unbind(2): a list of parts of one element each that lose the axis, though their length is given."""
    nodes = [node("SplitToSequence", ["x", "one"], ["parts"], axis=2, keepdims=0),
             node("SequenceAt", ["parts", "last"], ["at"]),
             node("ConcatFromSequence", ["parts"], ["stacked"], axis=1, new_axis=1)]
    model = make_model(nodes, [tensor("x", np.float32, ["s0", "s1", 3])],
                       [tensor("at", np.float32, ["s0", "s1"]), tensor("stacked", np.float32, ["s0", 3, "s1"])],
                       {"one": np.int64(1), "last": np.int64(-1)}, opset=18)
    return model, [case([x], [x[:, :, -1], x.transpose(0, 2, 1)]) for x in (ramp(2, 5, 3), ramp(1, 1, 3))]


@idiom
def pool_of_each_graph():
    """global_add_pool: as many rows as the greatest number of `batch` says, to which each node's features are added."""
    nodes = [node("ReduceMax", ["batch"], ["last"], keepdims=0), node("Add", ["last", "one"], ["count"]),
             node("Reshape", ["count", "vector"], ["rows"]), node("Concat", ["rows", "features"], ["shape"], axis=0),
             node("ConstantOfShape", ["shape"], ["nothing"]), node("Shape", ["x"], ["size"]),
             node("Unsqueeze", ["batch", "vector"], ["column"]), node("Expand", ["column", "size"], ["places"]),
             node("ScatterElements", ["nothing", "places", "x"], ["y"], axis=0, reduction="add")]
    model = make_model(nodes, [tensor("x", np.float32, ["nodes", 4]), tensor("batch", np.int64, ["nodes"])],
                       [tensor("y", np.float32, ["graphs", 4])],
                       {"one": np.int64(1), "vector": np.int64([-1]), "features": np.int64([4])}, opset=18)
    cases = []
    for batch in ([0, 0, 1, 1, 1], [2], [0, 3]):
        x = ramp(len(batch), 4)
        y = np.zeros((max(batch) + 1, 4), np.float32)
        np.add.at(y, batch, x)
        cases.append(case([x, np.int64(batch)], [y]))
    return model, cases
