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
