"""Models for tests of --emit, each of which needs other parts of what is emitted."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, UINT8, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8, TensorProto.BOOL


def weights(name, *shape, dtype=np.float32, seed=0):
    return numpy_helper.from_array(np.random.default_rng(seed).standard_normal(shape).astype(dtype), name)


def value(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, constants=(), opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def convolutions(channels=24):
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], "first", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c0"], ["r0"], "relu"),
        helper.make_node("MaxPool", ["r0"], ["p0"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p0", "w1"], ["c1"], "second", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c1", "p0"], ["s1"], "residual"),
        helper.make_node("GlobalAveragePool", ["s1"], ["g"], "mean"),
        helper.make_node("Flatten", ["g"], ["f"], "flat"),
        helper.make_node("Gemm", ["f", "w2"], ["y"], "head"),
    ]
    constants = [weights("w0", channels, 3, 3, 3), weights("b0", channels), weights("w1", channels, channels, 3, 3, seed=1),
                 weights("w2", channels, 10, seed=2)]
    return model(nodes, [value("x", [1, 3, 32, 32])], [value("y", None)], constants)


def convolutions_along_directions(channels=32):
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], "square", pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["c0"], ["r0"], "relu0"),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], "line", pads=[0, 1, 0, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["y"], "column", pads=[2, 0, 2, 0]),
    ]
    constants = [weights("w0", channels, channels, 5, 5), weights("w1", channels, channels, 1, 3, seed=1),
                 weights("w2", channels, channels, 5, 1, seed=2)]
    return model(nodes, [value("x", [1, channels, 12, 13])], [value("y", None)], constants)


def layers(batch="N"):
    """Two products with sizes that a run chooses, and an output that is larger for larger sizes."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], "product"),
        helper.make_node("Erf", ["h"], ["e"], "erf"),
        helper.make_node("Transpose", ["e"], ["t"], "turn"),
        helper.make_node("MatMul", ["e", "t"], ["y"], "gram"),
        helper.make_node("ReduceSum", ["e"], ["sum"], "sum", keepdims=0),
    ]
    return model(nodes, [value("x", [batch, 16])], [value("y", None), value("sum", [])], [weights("w", 16, 40)])


def attention():
    nodes = [
        helper.make_node("Transpose", ["k"], ["kt"], "kt", perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "kt"], ["s"], "scores"),
        helper.make_node("Softmax", ["s"], ["p"], "softmax", axis=-1),
        helper.make_node("MatMul", ["p", "v"], ["y"], "mix"),
    ]
    return model(nodes, [value(n, [2, 4, "L", 32]) for n in "qkv"], [value("y", None)])


def recurrence():
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y", "h", "c"], "lstm", hidden_size=8, direction="bidirectional")
    return model([node], [value("x", ["T", 2, 4])], [value(n, None) for n in "yhc"],
                 [weights("w", 2, 32, 4), weights("r", 2, 32, 8)])


def lookup():
    return model([helper.make_node("Gather", ["table", "i"], ["y"], "rows")], [value("i", ["N"], INT64)],
                 [value("y", None)], [weights("table", 5, 3)])


def bytes_product():
    w = numpy_helper.from_array(np.random.default_rng(0).integers(-9, 9, (32, 48)).astype(np.int8), "w")
    nodes = [helper.make_node("MatMulInteger", ["x", "w"], ["i"], "product"), helper.make_node("Cast", ["i"], ["y"], "cast", to=FLOAT)]
    return model(nodes, [value("x", [20, 32], UINT8)], [value("y", None)], [w])


def four_bits():
    rng = np.random.default_rng(0)
    constants = [numpy_helper.from_array(rng.integers(0, 255, (48, 2, 16)).astype(np.uint8), "w"),
                 numpy_helper.from_array(rng.random(96).astype(np.float32), "scales")]
    node = helper.make_node("MatMulNBits", ["x", "w", "scales"], ["y"], "product", domain="com.microsoft", K=64, N=48, bits=4,
                            block_size=32)
    return model([node], [value("x", [3, 64])], [value("y", [3, 48])], constants)


def half_precision():
    return model([helper.make_node("MatMul", ["x", "w"], ["y"], "product")], [value("x", [20, 64], TensorProto.FLOAT16)],
                 [value("y", None, TensorProto.FLOAT16)], [weights("w", 64, 48, dtype=np.float16)])


def doubles():
    return model([helper.make_node("Sin", ["x"], ["s"], "sin"), helper.make_node("Pow", ["s", "two"], ["y"], "pow")],
                 [value("x", [7], TensorProto.DOUBLE)], [value("y", None, TensorProto.DOUBLE)],
                 [numpy_helper.from_array(np.array(2.5), "two")])


def loop():
    body = helper.make_graph([helper.make_node("Identity", ["c"], ["c_out"]), helper.make_node("Add", ["a", "a"], ["a_out"])],
                             "body", [value("i", [], INT64), value("c", [], BOOL), value("a", ["K"])],
                             [value("c_out", [], BOOL), value("a_out", ["K"])])
    return model([helper.make_node("Loop", ["n", "", "x"], ["y"], "the_loop", body=body)],
                 [value("n", [], INT64), value("x", ["K"])], [value("y", ["K"])])


def top_k():
    return model([helper.make_node("TopK", ["x", "k"], ["v", "i"], "best")], [value("x", [4, 50])],
                 [value("v", None), value("i", None, INT64)], [numpy_helper.from_array(np.array([5]), "k")])


def scatter():
    """With indices of the run, some of which may be outside, and sums of what is written."""
    nodes = [helper.make_node("ScatterND", ["x", "i", "u"], ["s"], "scatter"),
             helper.make_node("CumSum", ["s", "axis"], ["y"], "sums")]
    return model(nodes, [value("x", ["N", 3]), value("i", [2, 1], INT64), value("u", [2, 3])], [value("y", None)],
                 [numpy_helper.from_array(np.array(0), "axis")])


def save(proto, path):
    onnx.save(proto, str(path))
    return path
