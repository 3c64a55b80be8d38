"""How calls of one session from several threads of Python scale, and what a call costs over the C API.

    PYTHONPATH=build/release/python build/python/bin/python3 bench/python/threads.py [BUILD_DIR]

A model of some milliseconds runs on one thread in each call. The first line has the calls of a second with 1, 2 and 4
threads that call at once; a machine with fewer processors cannot scale further. The second line has the median
microseconds of the same call by cppgen-run, in C, and from Python."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import cppgen

SIZE = 256


def layers(count):
    """x [SIZE, SIZE], multiplied and activated several times."""
    weight = np.random.default_rng(0).standard_normal((SIZE, SIZE)).astype(np.float32) / SIZE**0.5
    nodes, value = [], "x"
    for i in range(count):
        nodes += [helper.make_node("MatMul", [value, "w"], [f"m{i}"]), helper.make_node("Relu", [f"m{i}"], [f"r{i}"])]
        value = f"r{i}"
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [SIZE, SIZE])
    graph = helper.make_graph(nodes, "layers", [info("x")], [info(value)], [numpy_helper.from_array(weight, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model


def calls_per_second(session, x, threads, seconds=3):
    counts, begin = [0] * threads, time.perf_counter()

    def work(i):
        while time.perf_counter() - begin < seconds:
            session(x)
            counts[i] += 1

    running = [threading.Thread(target=work, args=(i,)) for i in range(threads)]
    for it in running:
        it.start()
    for it in running:
        it.join()
    return sum(counts) / (time.perf_counter() - begin)


def microseconds(call, seconds=3):
    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    x = np.random.default_rng(1).standard_normal((SIZE, SIZE)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        package = cppgen.compile(layers(8), output=f"{folder}/p")
        session = package.load(threads=1)
        session(x)
        rates = {n: calls_per_second(session, x, n) for n in (1, 2, 4)}
        print(f"{os.cpu_count()} processors: " + ", ".join(f"{n} threads {rate:.0f}/s ({rate / rates[1]:.2f})" for n, rate in rates.items()))
        in_c = subprocess.run([f"{build}/bin/cppgen-run", package.path, "--threads", "1", "--runs", "300", "--json"], check=True,
                              capture_output=True, text=True).stdout
        print(f"cppgen-run {1e3 * json.loads(in_c)['median_ms']:.1f} us, Python {microseconds(lambda: session(x)):.1f} us")


if __name__ == "__main__":
    main()
