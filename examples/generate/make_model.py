"""Writes a small decoder over bytes with random weights: make_model.py FILE.onnx

tokens [1, n] int64 and caches past_k0, past_v0 ... [1, HEADS, P, HEAD_SIZE] give logits [1, n, 256] and present_k0 ...
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, HEAD_SIZE, LONGEST = 4, 8, 32, 1024
WIDTH = HEADS * HEAD_SIZE
random = np.random.default_rng(1)
nodes, constants, inputs, outputs = [], [], [], []


def constant(values, dtype=np.float32):
    name = f"c{len(constants)}"
    constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
    return name


def node(op, operands, name=None, **attributes):
    name = name or f"v{len(nodes)}"
    nodes.append(helper.make_node(op, operands, [name], **attributes))
    return name


def linear(x, rows, columns):
    return node("MatMul", [x, constant(random.standard_normal((rows, columns)) / np.sqrt(rows))])


def normalized(x):
    mean = node("ReduceMean", [x], axes=[-1], keepdims=1)
    centred = node("Sub", [x, mean])
    variance = node("ReduceMean", [node("Mul", [centred, centred])], axes=[-1], keepdims=1)
    return node("Div", [centred, node("Sqrt", [node("Add", [variance, constant(1e-5)])])])


def heads(x):
    apart = node("Reshape", [x, constant([0, 0, HEADS, HEAD_SIZE], np.int64)])
    return node("Transpose", [apart], perm=[0, 2, 1, 3])


def cached(fresh, name):
    past, present = f"past_{name}", f"present_{name}"
    inputs.append(helper.make_tensor_value_info(past, TensorProto.FLOAT, [1, HEADS, "P", HEAD_SIZE]))
    outputs.append(helper.make_tensor_value_info(present, TensorProto.FLOAT, [1, HEADS, "P + n", HEAD_SIZE]))
    return node("Concat", [past, fresh], present, axis=2)


def size(tensor, axis):
    return node("Gather", [node("Shape", [tensor]), constant(axis, np.int64)])


def attention(x, number, visible):
    query = node("Mul", [heads(linear(x, WIDTH, WIDTH)), constant(1 / np.sqrt(HEAD_SIZE))])
    keys = cached(heads(linear(x, WIDTH, WIDTH)), f"k{number}")
    values = cached(heads(linear(x, WIDTH, WIDTH)), f"v{number}")
    scores = node("MatMul", [query, node("Transpose", [keys], perm=[0, 1, 3, 2])])
    weights = node("Softmax", [node("Where", [visible, scores, constant(-1e30)])], axis=-1)
    mixed = node("Transpose", [node("MatMul", [weights, values])], perm=[0, 2, 1, 3])
    return linear(node("Reshape", [mixed, constant([0, 0, WIDTH], np.int64)]), WIDTH, WIDTH)


inputs.append(helper.make_tensor_value_info("tokens", TensorProto.INT64, [1, "n"]))
begin, length = size("past_k0", 2), size("tokens", 1)
end, one = node("Add", [begin, length]), constant(1, np.int64)
rows = node("Range", [begin, end, one])
keys = node("Range", [constant(0, np.int64), end, one])
visible = node("LessOrEqual", [keys, node("Unsqueeze", [rows, constant([1], np.int64)])])
x = node("Gather", [constant(random.standard_normal((256, WIDTH))), "tokens"])
x = node("Add", [x, node("Gather", [constant(random.standard_normal((LONGEST, WIDTH))), rows])])
for i in range(LAYERS):
    x = node("Add", [x, attention(normalized(x), i, visible)])
    inner = node("Relu", [linear(normalized(x), WIDTH, 4 * WIDTH)])
    x = node("Add", [x, linear(inner, 4 * WIDTH, WIDTH)])
node("MatMul", [normalized(x), constant(random.standard_normal((WIDTH, 256)))], "logits")
outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "n", 256]))
graph = helper.make_graph(nodes, "bytes", inputs, outputs, constants)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
