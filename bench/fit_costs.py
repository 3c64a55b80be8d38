#!/usr/bin/python3
"""Fits the numbers of predicted times (cppgen/schedule/costs.def) to the machine at hand.

usage: fit_costs.py [--rows NAME,NAME] [--seconds 0.3] [--rounds 3] CPPGEN

For each row that kernels of one operation determine, compiles models of such operations, profiles them (the least mean
time of several rounds, with the peaks of the first one), and looks for the value with which `cppgen explain` predicts
the measured times: the geometric mean of predicted over measured times becomes 1. Rows are fitted in the order of
SAMPLES, each with the values of those before it. Prints every row of the table with its value there, the fitted value
and how it was measured, or why it was not, and then the setting that makes cppgen use the fitted values. The machine
should do nothing else.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper

TABLE = pathlib.Path(__file__).resolve().parent.parent / "cppgen/schedule/costs.def"
MOST_FACTOR = 16  # kMostCostFactor in cppgen/schedule/costs.h
FLOAT, DOUBLE, INT32, INT64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT32, TensorProto.INT64


class Model:
    """A chain of nodes over the inputs x, y ..., each of which has the dimensions and the type that are given."""

    def __init__(self, op, *dims, type=FLOAT, types=None, opset=17, chain=1, settings=(), **attributes):
        names = "xyz"[:len(dims)]
        types = types or [type] * len(dims)
        inputs = [helper.make_tensor_value_info(n, t, d) for n, t, d in zip(names, types, dims)]
        nodes, last = [], names[0]
        for i in range(chain):
            nodes.append(helper.make_node(op, [last, *names[1:]], [f"v{i}"], **attributes))
            last = f"v{i}"
        output = helper.make_empty_tensor_value_info(last)
        graph = helper.make_graph(nodes, "sample", inputs, [output])
        self.proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        self.proto.ir_version = 8
        self.settings = list(settings)


def alternating(first, second, length, *dims):
    """Two operations in turns, each (operator, attributes)."""
    model = Model(first[0], *dims)
    nodes, last = [], "x"
    for i in range(length):
        op, attributes = second if i % 2 else first
        nodes.append(helper.make_node(op, [last, *"y"[:len(dims) - 1]], [f"v{i}"], **attributes))
        last = f"v{i}"
    del model.proto.graph.node[:]
    model.proto.graph.node.extend(nodes)
    model.proto.graph.output[0].name = last
    return model


BLOCK = [64, 256]  # 64 KiB, which the second level holds
SCALAR, TWO_THREADS = ("ISA=scalar",), ("THREADS=2",)

# name: (what is measured, the models)
SAMPLES = {
    "step_ns": ("60 softmaxes of 8 x 16 numbers, which are a step each",
                [alternating(("Softmax", {"axis": 0}), ("Softmax", {"axis": 1}), 60, [8, 16])]),
    "loads_rate": ("20 additions and subtractions in turns", [alternating(("Add", {}), ("Sub", {}), 20, BLOCK, BLOCK)]),
    "division": ("a division", [Model("Div", BLOCK, BLOCK)]),
    "root": ("a square root", [Model("Sqrt", BLOCK)]),
    "remainder": ("a remainder", [Model("Mod", BLOCK, BLOCK, fmod=1)]),
    "function": ("exp, log, tanh, erf and sigmoid", [Model(op, BLOCK) for op in ("Exp", "Log", "Tanh", "Erf", "Sigmoid")]),
    "power": ("a power", [Model("Pow", BLOCK, BLOCK)]),
    "scalar_division": ("a division with ISA=scalar", [Model("Div", BLOCK, BLOCK, settings=SCALAR)]),
    "scalar_function": ("exp and tanh with ISA=scalar", [Model(op, BLOCK, settings=SCALAR) for op in ("Exp", "Tanh")]),
    "lane_function": ("exp and tanh of doubles", [Model(op, BLOCK, type=DOUBLE) for op in ("Exp", "Tanh")]),
    "integer_division": ("a division of int32", [Model("Div", BLOCK, BLOCK, type=INT32)]),
    "maximum": ("a maximum of two tensors, 8 times", [Model("Max", BLOCK, BLOCK, chain=8)]),
    "minimum": ("a minimum of two tensors, 8 times", [Model("Min", BLOCK, BLOCK, chain=8)]),
    "position_step": ("argmax over the first axis", [Model("ArgMax", BLOCK, axis=0)]),
    "row_sum_step": ("sums of rows of 256", [Model("ReduceSum", BLOCK, opset=11, axes=[1])]),
    "transposed_access": ("a transpose of 256 x 256", [Model("Transpose", [256, 256], perm=[1, 0])]),
    "apart_lane": ("single elements by an index", [Model("Gather", [4096], [16384], types=[FLOAT, INT64])]),
    "attention_tenths": ("an attention of 8 heads, 128 rows and 64 features",
                         [Model("Attention", *[[1, 8, 128, 64]] * 3, opset=23)]),
    "softmax": ("an attention of 8 heads, 256 rows and 8 features",
                [Model("Attention", *[[1, 8, 256, 8]] * 3, opset=23)]),
    "overlap": ("exp of 32 MiB", [Model("Exp", [2048, 4096])]),
    "round_trips": ("negations on two threads", [Model("Neg", [128, 256], settings=TWO_THREADS)]),
}

EXCHANGE = "it takes whole networks on several threads: bench/predictions.py"
ENGINES = "it compares engines, not the times of one kernel"
OTHER_MACHINES = "it describes larger machines than this one"
RATES = "it is a bound, on which no prediction depends"
WHY_NOT = {
    "peaks_share": "it scales all predictions, so it takes whole networks: bench/predictions.py",
    "division_least": RATES, "function_least": RATES, "matrix_instruction": "it is documented",
    "every_other_more": "it is counted", "far_line": EXCHANGE, "sums_through_memory": "it is counted",
    "transposed_result": "it is counted", "words_rate": RATES, "scalar_words_rate": RATES,
    "winograd_element": "it is counted", "worthwhile": "it is chosen", "group_tile": ENGINES,
    "further_round_trip": "it takes more than two threads", "held_share": EXCHANGE, "read_across": EXCHANGE,
    "read_along": EXCHANGE, "read_by_all": EXCHANGE, "attended": EXCHANGE, "written": EXCHANGE,
    "written_for_all": EXCHANGE, "memory_gb_of_core": OTHER_MACHINES, "l3_bytes_of_core": OTHER_MACHINES,
    "exchange_gb_across": OTHER_MACHINES, "round_trip_ns_across": OTHER_MACHINES,
}


def why_not(name):
    return ENGINES if name.startswith("winograd_") and name not in WHY_NOT else WHY_NOT[name]


class Row:
    def __init__(self, type, name, value, unit):
        self.name, self.unit, self.integer = name, unit, type == "int64_t"
        self.usual = eval(value, {"__builtins__": {}})  # a number, or a shift of one

    def rounded(self, value):
        least, most = self.usual / MOST_FACTOR, self.usual * MOST_FACTOR
        if self.integer:
            return min(max(round(value), math.ceil(least)), math.floor(most))
        return min(max(float(f"{value:.3g}"), least), most)


def read_rows():
    text = re.sub(r"//.*", "", TABLE.read_text())
    found = re.findall(r'CPPGEN_COST\(\s*(\w+),\s*(\w+),\s*([^,]+),\s*"([^"]*)"', text)
    return {name: Row(type, name, value, unit) for type, name, value, unit in found}


class Machine:
    """Runs the program in a cache of its own, so that all predictions use the same peaks."""

    def __init__(self, options, folder):
        self.options, self.folder, self.costs = options, folder, {}
        self.profiles = self.disturbed = 0

    def run(self, command, model, *more, costs=None):
        path = os.path.join(self.folder, "sample.onnx")
        onnx.save(model.proto, path)
        costs = ",".join(f"{name}={value}" for name, value in {**self.costs, **(costs or {})}.items())
        given = ["THREADS=1", *model.settings, *([f"COSTS={costs}"] if costs else [])]
        settings = {s.split("=", 1)[0]: s.split("=", 1)[1] for s in given}  # the last one of a name
        words = [w for name, value in settings.items() for w in ("--set", f"{name}={value}")]
        done = subprocess.run([self.options.cppgen, command, path, "--json", *more, *words], capture_output=True,
                              text=True, env=dict(os.environ, CPPGEN_CACHE_DIR=self.folder))
        if done.returncode:
            sys.exit(done.stderr)
        if command == "profile":
            self.profiles += 1
            self.disturbed += "the result is marked" in done.stderr
        return json.loads(done.stdout)["steps"]

    def measured_ms(self, model):
        rounds = [self.run("profile", model, "--seconds", str(self.options.seconds))
                  for _ in range(self.options.rounds)]
        return min(sum(s["ms"] * s["calls"] / max(1, max(t["calls"] for t in steps)) for s in steps) for steps in rounds)

    def predicted_ms(self, model, costs):
        return sum(s.get("predicted_ms", 0) for s in self.run("explain", model, costs=costs))


def fit(machine, row, models):
    """(value, ratio): the value of the row, and the mean of predicted over measured times with it; None if no prediction
    depends on the row here."""
    measured = [machine.measured_ms(m) for m in models]

    def ratio(value):
        predicted = [machine.predicted_ms(m, {row.name: value}) for m in models]
        return math.exp(sum(math.log(p / m) for p, m in zip(predicted, measured)) / len(models))

    low, high = row.rounded(row.usual / MOST_FACTOR), row.rounded(row.usual * MOST_FACTOR)
    at_low, at_high = ratio(low), ratio(high)
    if abs(math.log(at_low / at_high)) < 0.02:
        return None
    rises = at_high > at_low
    for _ in range(12):
        middle = row.rounded(math.sqrt(low * high))
        if middle in (low, high):
            break
        at_middle = ratio(middle)
        if (at_middle < 1) == rises:
            low, at_low = middle, at_middle
        else:
            high, at_high = middle, at_middle
    return min((low, at_low), (high, at_high), key=lambda pair: abs(math.log(pair[1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", help="only these, separated by commas")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cppgen")
    options = parser.parse_args()
    rows = read_rows()
    asked = options.rows.split(",") if options.rows else list(SAMPLES)
    for name in asked:
        if name not in SAMPLES:
            parser.error(f"{name} is not fitted: {why_not(name)}" if name in rows else f"there is no row {name}")
    with tempfile.TemporaryDirectory() as folder:
        table(Machine(options, folder), rows, asked)


def table(machine, rows, asked):
    print(f"{'name':24} {'in the file':>11} {'fitted':>8}  unit; how it was measured, and predicted / measured", flush=True)
    for name in [name for name in SAMPLES if name in asked]:
        row, (text, models) = rows[name], SAMPLES[name]
        found = fit(machine, row, models)
        if found is None:
            print(f"{name:24} {row.usual:11g} {'-':>8}  {row.unit}; no prediction of {text} depends on it here", flush=True)
            continue
        value, ratio = found
        machine.costs[name] = value
        print(f"{name:24} {row.usual:11g} {value:8g}  {row.unit}; {text}: {ratio:.2f}", flush=True)
    for name, row in rows.items():
        if name not in SAMPLES:
            print(f"{name:24} {row.usual:11g} {'-':>8}  {row.unit}; not fitted: {why_not(name)}")
    if machine.disturbed:
        print(f"\n{machine.disturbed} of {machine.profiles} measurements were disturbed by other programs: "
              "fit again when the machine is quiet")
    print("\nCPPGEN_COSTS=" + ",".join(f"{name}={value}" for name, value in machine.costs.items()))


if __name__ == "__main__":
    sys.exit(main())
