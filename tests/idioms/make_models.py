"""Writes every idiom of this folder as ONNX test data: make_models.py OUT [FILTER]

    OUT/idioms/NAME/model.onnx
    OUT/idioms/NAME/test_data_set_K/input_I.pb, output_I.pb

Each other file here is a family: models as torch's, TensorFlow's and scikit-learn's exporters, quantizers and optimisers
write them (idiom.py says how to add one). The program `conformance --data OUT` runs them.
"""
import importlib
import os
import shutil
import sys

from onnx import numpy_helper

from idiom import IDIOMS, as_tensor


def families():
    here = os.path.dirname(os.path.abspath(__file__))
    names = sorted(f[:-3] for f in os.listdir(here) if f.endswith(".py"))
    return [n for n in names if n not in ("idiom", "make_models", "tracing")]


def write_value(path, value):
    """An array, a list of arrays (a sequence), or any message of ONNX as it is."""
    if hasattr(value, "SerializeToString"):
        message = value
    else:
        message = numpy_helper.from_list(value) if isinstance(value, list) else as_tensor(value)
    with open(path, "wb") as f:
        f.write(message.SerializeToString())


def write_idiom(folder, model, cases):
    os.makedirs(folder)
    with open(os.path.join(folder, "model.onnx"), "wb") as f:
        f.write(model.SerializeToString())
    for k, (inputs, outputs) in enumerate(cases):
        data_set = os.path.join(folder, f"test_data_set_{k}")
        os.makedirs(data_set)
        for kind, values in (("input", inputs), ("output", outputs)):
            for i, value in enumerate(values):
                write_value(os.path.join(data_set, f"{kind}_{i}.pb"), value)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    out = os.path.join(sys.argv[1], "idioms")
    shutil.rmtree(out, ignore_errors=True)
    for family in families():
        importlib.import_module(family)
    chosen = {n: f for n, f in sorted(IDIOMS.items()) if len(sys.argv) < 3 or sys.argv[2] in n}
    for name, function in chosen.items():
        model, cases = function()
        if not cases or not all(outputs for _, outputs in cases):
            sys.exit(f"{name} expects nothing")
        write_idiom(os.path.join(out, name), model, cases)
    print(f"{len(chosen)} idioms in {out}")


main()
