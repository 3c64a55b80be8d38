"""cppgen.backend, and a sample of ONNX's backend tests through it."""
import unittest

import numpy as np
import onnx
import pytest

import cppgen
import cppgen.backend
import models
import onnx_tests

COUNT = 24  # of ONNX's tests that are run here; tests/python/onnx_suite.py runs all of them


def sample():
    names = sorted(set(onnx_tests.names(("node",))) - onnx_tests.known_failures())
    return names[:: len(names) // COUNT + 1]


@pytest.mark.parametrize("test", onnx_tests.cases(sample(), __name__), ids=lambda it: it._testMethodName)
def test_a_sample_of_onnx(test):
    result = unittest.TestResult()
    test.run(result)
    assert result.testsRun == 1 and not result.skipped
    assert not result.failures + result.errors, "\n".join(text for _, text in result.failures + result.errors)


def test_the_sample_is_large_enough():
    assert len(onnx_tests.cases(sample(), __name__)) == len(sample()) > COUNT // 2


def test_sequences_with_scalars_are_compared():
    """ONNX's own comparison fails for these."""
    assert_similar = onnx_tests.ComparingTests.assert_similar_outputs
    scalar, vector = np.array(1, np.float32), np.float32([1])
    assert_similar([[scalar, vector], vector], [[scalar, vector], vector], rtol=1e-3, atol=1e-7)
    for different in ([scalar + 1, vector], [vector, vector], [scalar], [scalar.astype(np.float64), vector]):
        with pytest.raises(AssertionError):
            assert_similar([[scalar, vector], vector], [different, vector], rtol=1e-3, atol=1e-7)


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
