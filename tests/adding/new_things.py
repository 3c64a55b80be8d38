"""Runs what additions.py adds."""
import json
import os
import subprocess

import numpy as np
from onnx import TensorProto, helper, save

FLOAT8E5M2 = 19  # of TensorProto, in versions of onnx that are newer than Debian's

def model(path, nodes, inputs, outputs, domains):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*i) for i in inputs],
                              [helper.make_tensor_value_info(*o) for o in outputs])
    opsets = [helper.make_opsetid("", 19)] + [helper.make_opsetid(d, 1) for d in domains]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return path


class Program:
    def __init__(self, path, work):
        self.path, self.work = path, work

    def call(self, *arguments):
        environment = dict(os.environ, CPPGEN_CACHE_DIR=os.path.join(self.work, "cache"))
        return subprocess.run([self.path, *arguments], check=True, capture_output=True, text=True, env=environment).stdout

    def run(self, path, x, *arguments):
        np.save(os.path.join(self.work, "x.npy"), x)
        out = os.path.join(self.work, "out")
        self.call("run", path, "--input", "x=" + os.path.join(self.work, "x.npy"), "--output", out, *arguments)
        return np.load(os.path.join(out, "out_0.npy"))


def operator(p):
    path = model(p.work + "/cube.onnx", [helper.make_node("Cube", ["x"], ["y"], domain="added")],
                 [("x", TensorProto.FLOAT, [5, 7])], [("y", TensorProto.FLOAT, [5, 7])], ["added"])
    x = np.linspace(-2, 2, 35, dtype=np.float32).reshape(5, 7)
    return all(np.allclose(p.run(path, x, *mode), x ** 3) for mode in ([], ["--reference"]))


def operator_on_any_elements(p):
    nodes = [helper.make_node("Cast", ["x"], ["t"], to=FLOAT8E5M2),
             helper.make_node("Reversed", ["t"], ["u"], domain="added"),
             helper.make_node("Cast", ["u"], ["y"], to=TensorProto.FLOAT)]
    path = model(p.work + "/reversed.onnx", nodes, [("x", TensorProto.FLOAT, [20])], [("y", TensorProto.FLOAT, [20])],
                 ["added"])
    x = (2.0 ** np.arange(-10, 10)).astype(np.float32)
    return all(np.array_equal(p.run(path, x, *mode), x[::-1]) for mode in ([], ["--reference"]))


def reduction(p):
    path = model(p.work + "/bits.onnx", [helper.make_node("ReduceBits", ["x"], ["y"], domain="added")],
                 [("x", TensorProto.INT32, [3, 50])], [("y", TensorProto.INT32, [])], ["added"])
    x = (1 << (np.arange(150, dtype=np.int32) % 20)).reshape(3, 50)
    return all(p.run(path, x, *mode) == (1 << 20) - 1 for mode in ([], ["--reference"]))


def product(p, k):
    return model(f"{p.work}/product{k}.onnx", [helper.make_node("MatMul", ["x", "w"], ["y"])],
                 [("x", TensorProto.FLOAT, [64, k]), ("w", TensorProto.FLOAT, [k, 64])],
                 [("y", TensorProto.FLOAT, [64, 64])], [])


def setting_and_pass(p):
    text = p.call("explain", product(p, 32), "--json", "--set", "ADDED_TIMES=3")
    return json.dumps(json.loads(text)).count("of them") == 3


def engine(p):
    taken, refused = (p.call("explain", product(p, k), "--all") for k in (24, 32))
    return "K is 24" in taken and "K is 24" not in refused


def form(p):
    path = model(p.work + "/points.onnx", [helper.make_node("Sqrt", ["x"], ["y"])], [("x", TensorProto.FLOAT, [29])],
                 [("y", TensorProto.FLOAT, [29])], [])
    x = np.linspace(0, 9, 29, dtype=np.float32)
    return "added: 29 points one by one" in p.call("explain", path, "--json") and np.array_equal(p.run(path, x), np.sqrt(x))


def engine_with_form(p):
    path = model(p.work + "/weights.onnx", [helper.make_node("Add", ["x", "x"], ["w"]), helper.make_node("MatMul", ["x", "w"], ["y"])],
                 [("x", TensorProto.FLOAT, [40, 40])], [("y", TensorProto.FLOAT, [40, 40])], [])
    x = np.random.default_rng(1).standard_normal((40, 40)).astype(np.float32)
    return "all panels, tiles: " in p.call("explain", path, "--json") and np.allclose(p.run(path, x), x @ (x + x), atol=1e-4)


def element_type(p):
    nodes = [helper.make_node("Cast", ["x"], ["t"], to=99), helper.make_node("Identity", ["t"], ["u"]),
             helper.make_node("Cast", ["u"], ["y"], to=TensorProto.FLOAT)]
    path = model(p.work + "/cast.onnx", nodes, [("x", TensorProto.FLOAT, [40])], [("y", TensorProto.FLOAT, [40])], [])
    x = np.linspace(1, 1.98, 40, dtype=np.float32)
    return all(np.array_equal(p.run(path, x, *mode), np.round(x * 16) / 16) for mode in ([], ["--reference"]))


def instruction_set(p):
    path = model(p.work + "/relu.onnx", [helper.make_node("Relu", ["x"], ["y"])], [("x", TensorProto.FLOAT, [9])],
                 [("y", TensorProto.FLOAT, [9])], [])
    x = np.arange(-4, 5, dtype=np.float32)
    return "added_avx2" in p.call("isa") and np.array_equal(p.run(path, x, "--isa", "added_avx2"), np.maximum(x, 0))


def check_all(program, work):
    p = Program(program, work)
    good = True
    for thing in (operator, operator_on_any_elements, reduction, setting_and_pass, engine, form, engine_with_form,
                  element_type, instruction_set):
        try:
            works = thing(p)
        except subprocess.CalledProcessError as e:
            works = False
            print(e.stderr)
        print(f"{thing.__name__}: {'works' if works else 'does not work'}")
        good &= works
    return good
