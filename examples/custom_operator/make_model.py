"""Writes a model with two operators of com.mycompany: y = SortRows(Swish(x, beta=2)). usage: make_model.py OUT.onnx"""
import sys

from onnx import TensorProto, helper, save

nodes = [helper.make_node("Swish", ["x"], ["s"], name="swish", domain="com.mycompany", beta=2.0),
         helper.make_node("SortRows", ["s"], ["y"], name="sort", domain="com.mycompany")]
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 5]) for name in "xy")
graph = helper.make_graph(nodes, "custom", [x], [y])
save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17),
                                                           helper.make_opsetid("com.mycompany", 1)]), sys.argv[1])
