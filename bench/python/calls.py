"""What a call from Python costs: a model with one tiny operation, in microseconds per call.

    PYTHONPATH=build/release/python build/python/bin/python3 bench/python/calls.py

Each column is the fastest of several thousand calls in a row: calls of a Session, its method run, InferenceSession.run of
cppgen.onnxruntime, and, if the package is installed, of ONNX Runtime itself. All run on one thread."""
import time

import numpy as np
from onnx import TensorProto, helper

import cppgen
import cppgen.onnxruntime

try:
    import onnxruntime
except ImportError:
    onnxruntime = None


def relu(dim):
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [dim])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [value("x")], [value("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model.SerializeToString()


def microseconds(call, calls=5000, rounds=20):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls)
    return 1e6 * min(times)


def on_one_thread(module, model):
    options = module.SessionOptions()
    options.intra_op_num_threads = 1
    return module.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def main():
    x, out = np.ones(4, np.float32), np.empty(4, np.float32)
    for dim in (4, "N"):
        session = cppgen.Session(relu(dim), threads=1)
        drop_in = on_one_thread(cppgen.onnxruntime, relu(dim))
        calls = {"session(x)": lambda: session(x), "session(x=x)": lambda: session(x=x), "out=": lambda: session(x, out=out),
                 "session.run": lambda: session.run({"x": x}), "InferenceSession.run": lambda: drop_in.run(None, {"x": x})}
        if onnxruntime:
            theirs = on_one_thread(onnxruntime, relu(dim))
            calls["ONNX Runtime"] = lambda: theirs.run(None, {"x": x})
        print(f"[{dim}] " + ", ".join(f"{name} {microseconds(call):.2f}" for name, call in calls.items()), flush=True)


if __name__ == "__main__":
    main()
