"""cppgen.backend, and a sample of ONNX's backend tests through it."""
import os
import re
import unittest

import numpy as np
import onnx
import onnx.backend.test
import pytest
from onnx.backend.test.loader import load_model_tests

import cppgen
import cppgen.backend
import models

COUNT = 24  # of ONNX's tests that are run here; tests/conformance runs all of them


def known_failures():
    path = os.path.join(os.path.dirname(__file__), "..", "conformance", "known_failures.txt")
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"^\w+/(\w+)\??:", file.read(), re.M))


def sample():
    names = sorted({it.name for it in load_model_tests(kind="node")} - known_failures())
    return names[:: len(names) // COUNT + 1]


def onnx_tests():
    """The classes of tests that ONNX makes for a backend, with those of the sample alone."""
    tests = onnx.backend.test.BackendTest(cppgen.backend, __name__)
    for name in sample():
        tests.include(f"^{name}_cpu$")
    return tests.test_cases


def test_a_sample_of_onnx(monkeypatch):
    monkeypatch.setattr(np, "object", object, raising=False)  # for versions of onnx that are older than NumPy
    suite = unittest.TestSuite()
    for case in onnx_tests().values():
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    result = unittest.TestResult()
    suite.run(result)
    assert not result.failures + result.errors, "\n".join(text for _, text in result.failures + result.errors)
    ran = result.testsRun - len(result.skipped)
    assert ran == len(sample()) and ran > COUNT // 2, (ran, len(sample()))


def test_models_and_nodes():
    x = np.float32([[1, -2, 3, -4]])
    prepared = cppgen.backend.prepare(models.difference(), "CPU", threads=1)
    for inputs in ([x, x], (x, x), {"a": x, "b": x}):
        outputs = prepared.run(inputs)
        assert outputs["s"].tolist() == (2 * x).tolist() and outputs[0].tolist() == (0 * x).tolist() and outputs.d is outputs[0]
    assert cppgen.backend.run_model(models.relu(), x)[0].tolist() == [[1, 0, 3, 0]]
    node = onnx.helper.make_node("Concat", ["a", "b"], ["c"], axis=0)
    assert cppgen.backend.run_node(node, [x, x])["c"].shape == (2, 4)
    assert cppgen.backend.is_compatible(models.relu()) and not cppgen.backend.is_compatible(models.relu(), "CUDA")
    for call in (lambda: cppgen.backend.prepare(models.relu(), "CUDA"), lambda: prepared.run([x, x], threads=1)):
        with pytest.raises(cppgen.UserError):
            call()
