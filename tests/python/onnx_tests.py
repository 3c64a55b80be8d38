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


def _parts(sequence):
    """The length of a sequence, and the shape of each element, followed by the element with one dimension."""
    parts = [np.array([len(sequence)])]
    for element in sequence:
        parts += [np.array(element.shape, np.int64), element.reshape(-1)] if hasattr(element, "reshape") else [element]
    return parts


def _comparable(outputs):
    """Outputs of a model as ONNX's own comparison can take them: it takes the length of each element of a sequence, which
    a scalar has not, and takes sequences for equal if one is the beginning of the other."""
    if not isinstance(outputs, (list, tuple)):
        return outputs
    return [_parts(output) if isinstance(output, (list, tuple)) else output for output in outputs]


class ComparingTests(onnx.backend.test.BackendTest):
    """ONNX's tests, whose results may contain sequences of scalars."""

    @classmethod
    def assert_similar_outputs(cls, ref_outputs, outputs, *arguments, **options):
        super().assert_similar_outputs(_comparable(ref_outputs), _comparable(outputs), *arguments, **options)


def cases(chosen, module):
    """The tests of these names as test cases of unittest."""
    if not hasattr(np, "object"):
        np.object = object  # for versions of onnx that are older than NumPy
    tests = ComparingTests(cppgen.backend, module)
    for name in chosen:
        tests.include(f"^{name}_cpu$")
    found = []
    for case in tests.test_cases.values():
        for test in unittest.defaultTestLoader.loadTestsFromTestCase(case):
            if not getattr(getattr(test, test._testMethodName), "__unittest_skip__", False):
                found.append(test)
    return found
