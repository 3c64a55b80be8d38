"""Models of the guides."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper


def layers(*sizes):
    """Fully connected layers with Relu: x [N, sizes[0]] to y [N, sizes[-1]]. Weights depend on the sizes alone."""
    random = np.random.default_rng(1)
    nodes, weights, value = [], [], "x"
    for number, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        weight = random.standard_normal((rows, columns), np.float32) / np.float32(rows)**0.5
        weights.append(numpy_helper.from_array(weight, f"w{number}"))
        result = "y" if number == len(sizes) - 2 else f"a{number}"
        nodes += [helper.make_node("MatMul", [value, f"w{number}"], [f"p{number}"]),
                  helper.make_node("Relu", [f"p{number}"], [result])]
        value = result
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", size]) for name, size in
            (("x", sizes[0]), ("y", sizes[-1])))
    model = helper.make_model(helper.make_graph(nodes, "layers", [x], [y], weights),
                              opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return model
