"""Models with operators of early ONNX, as converters of Core ML and Caffe2 wrote them."""
import numpy as np

from idiom import case, idiom, make_model, node, ramp, tensor


@idiom
def scaled_image():
    """ImageScaler, Crop by borders and to a size, and the pointwise operators."""
    nodes = [node("ImageScaler", ["image"], ["scaled"], scale=0.5, bias=[0.1, 0.2, 0.3]),
             node("Crop", ["scaled"], ["inner"], border=[1, 2, 3, 1]), node("Crop", ["inner"], ["small"],
                                                                            border=[1, 0, 0, 0], scale=[3, 2]),
             node("Affine", ["small"], ["a"], alpha=0.5, beta=0.25), node("ScaledTanh", ["a"], ["t"], alpha=1.5,
                                                                          beta=0.75),
             node("ParametricSoftplus", ["t"], ["p"], alpha=0.5, beta=2.0), node("Scale", ["p"], ["s"], scale=3.0),
             node("ThresholdedRelu", ["s"], ["y"], alpha=1.25)]
    model = make_model(nodes, [tensor("image", np.float32, ["n", 3, "h", "w"])],
                       [tensor("inner", np.float32, None), tensor("y", np.float32, None)], opset=7)
    cases = []
    for x in (ramp(1, 3, 7, 9), ramp(2, 3, 6, 7, scale=0.8)):
        inner = (x * np.float32(0.5) + np.float32([0.1, 0.2, 0.3])[:, None, None])[:, :, 2:-1, 1:-3]
        t = 1.5 * np.tanh(0.75 * (0.5 * inner[:, :, :3, 1:3] + 0.25))
        s = 3 * 0.5 * np.log1p(np.exp(2 * t))
        cases.append(case([x], [inner, np.where(s > 1.25, s, 0).astype(np.float32)]))
    return model, cases


@idiom
def forerunners_of_microsoft():
    """Operators that ONNX Runtime had before ONNX: ExpandDims, GatherND, Pad, Range and Unique."""
    own = {"domain": "com.microsoft"}
    nodes = [node("Unique", ["x"], ["values", "places", "counts"], **own),
             node("Range", ["zero", "five"], ["row"], **own),
             node("ExpandDims", ["row", "axis"], ["column"], **own), node("Pad", ["column", "pads", "half"], ["padded"],
                                                                          **own),
             node("GatherND", ["padded", "at"], ["y"], **own)]
    model = make_model(nodes, [tensor("x", np.float32, ["n"]), tensor("at", np.int64, ["k", 2])],
                       [tensor("values", np.float32, None), tensor("places", np.int64, None),
                        tensor("counts", np.int64, None),
                        tensor("y", np.float32, ["k"])],
                       {"zero": np.float32(0), "five": np.float32(5), "axis": np.int32(-1),
                        "pads": np.int64([1, 0, 0, 2]),
                        "half": np.float32([0.5])}, domains={"com.microsoft": 1})
    padded = np.pad(np.arange(5, dtype=np.float32)[:, None], ((1, 0), (0, 2)), constant_values=0.5)
    at = np.int64([[1, 0], [3, 0], [0, 2]])
    return model, [case([np.float32([2, 1, 1, 3, 2]), at],
                        [np.float32([2, 1, 3]), np.int64([0, 1, 1, 2, 0]), np.int64([2, 2, 1]),
                         padded[at[:, 0], at[:, 1]]])]


@idiom
def inverse_of_poses():
    """torch.inverse by the contributed operator: matrices whose rows must be exchanged, then points moved by them."""
    nodes = [node("Inverse", ["poses"], ["back"], domain="com.microsoft"), node("MatMul", ["points", "back"], ["y"])]
    model = make_model(nodes, [tensor("poses", np.float32, ["n", 4, 4]), tensor("points", np.float32, ["n", "p", 4])],
                       [tensor("y", np.float32, ["n", "p", 4])], domains={"com.microsoft": 1})
    cases = []
    for n, p in ((1, 3), (3, 5)):
        poses = ramp(n, 4, 4) * np.float32(0.3) + np.eye(4, dtype=np.float32)[[1, 0, 3, 2]]
        points = ramp(n, p, 4, scale=0.9)
        cases.append(case([poses, points], [(points.astype(np.float64) @ np.linalg.inv(poses.astype(np.float64)))
                                            .astype(np.float32)]))
    return model, cases
