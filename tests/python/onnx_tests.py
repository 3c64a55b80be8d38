"""ONNX's own tests of backends (onnx.backend.test), for cppgen.backend, with the list of tests/conformance of models that
are expected not to pass."""
import os
import re
import unittest

import numpy as np
import onnx.backend.test
from onnx.backend.test.loader import load_model_tests

import cppgen.backend

KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")  # the others are networks that would be downloaded


def known_failures():
    path = os.path.join(os.path.dirname(__file__), "..", "conformance", "known_failures.txt")
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"^[\w-]+/(\w+)\??:", file.read(), re.M))


def names(kinds=KINDS):
    """The names of all tests, sorted."""
    return sorted({it.name for kind in kinds for it in load_model_tests(kind=kind)})


def cases(chosen, module):
    """The tests of these names as test cases of unittest."""
    if not hasattr(np, "object"):
        np.object = object  # for versions of onnx that are older than NumPy
    tests = onnx.backend.test.BackendTest(cppgen.backend, module)
    for name in chosen:
        tests.include(f"^{name}_cpu$")
    found = []
    for case in tests.test_cases.values():
        for test in unittest.defaultTestLoader.loadTestsFromTestCase(case):
            if not getattr(getattr(test, test._testMethodName), "__unittest_skip__", False):
                found.append(test)
    return found
