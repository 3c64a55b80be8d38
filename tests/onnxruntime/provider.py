"""The provider in tests: sessions with and without it, and models to try."""
import os
import shutil
import statistics
import tempfile
import time
import unittest

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from foreign import foreign

NAME = "CppgenExecutionProvider"
LIBRARY = os.path.abspath(os.environ["PROVIDER_LIBRARY"])
ALL = {"min_nodes": "1"}  # groups of any size are taken

onnxruntime.register_execution_provider_library("cppgen", LIBRARY)


def devices():
    return [d for d in onnxruntime.get_ep_devices() if d.ep_name == NAME]


def session_options(options=None, entries=None, custom_operators=None):
    made = onnxruntime.SessionOptions()
    if custom_operators:
        made.register_custom_ops_library(custom_operators)
    made.log_severity_level = 3
    made.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    for name, value in (entries or {}).items():
        made.add_session_config_entry(name, value)
    made.add_provider_for_devices(devices(), options or {})
    return made


def session(model, options=None, entries=None):
    """A session with the provider. `model` is a path or a ModelProto."""
    if not isinstance(model, (str, bytes)):
        model = model.SerializeToString()
    made = onnxruntime.InferenceSession(model, session_options(options, entries))
    made.disable_fallback()  # to another session without the provider, where a run fails
    return made


def plain_session(model):
    if not isinstance(model, (str, bytes)):
        model = model.SerializeToString()
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


def claimed(of):
    """The types of the nodes in each group that the provider took, sorted."""
    groups = [a for a in of.get_provider_graph_assignment_info() if a.ep_name == NAME]
    return sorted([n.op_type for n in group.get_nodes()] for group in groups)


def value(name, element=TensorProto.FLOAT, dims=None):
    return helper.make_tensor_value_info(name, element, dims)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def model(nodes, inputs, outputs, constants=(), opset=13, domains=("com.microsoft",)):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(constants))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    made = helper.make_model(graph, opset_imports=imports)
    made.ir_version = 8
    return made


def dense_model(foreign_in_between=False):
    """x [N, 8] -> y [N, 4], if wanted with an operator of another domain in between."""
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"])]
    if foreign_in_between:
        nodes.append(foreign("b", "c"))
    nodes += [node("Exp", ["c" if foreign_in_between else "b"], ["d"]), node("Add", ["d", "b"], ["y"])]
    return model(nodes, [value("x", dims=["N", 8])], [value("y", dims=["N", 4])], [constant("w", floats(8, 4))])


def floats(*dims, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, dims).astype(np.float32)


def assert_same(found, expected, tolerance=1e-5):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, a.shape, b.dtype, b.shape)
        np.testing.assert_allclose(a.astype(np.float64), b.astype(np.float64), rtol=tolerance, atol=tolerance)


def median_times(ours, theirs, feed, seconds=0.3):
    """The median seconds of a run of each session. They run in turns, for a while each, and not before the threads of the
    other one, which spin for about 40 ms after a run and are bound to the same cores, have gone to sleep; a first run
    wakes those of the session."""
    times = {ours: [], theirs: []}
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds or len(times[theirs]) < 15:
        for which, spent in times.items():
            time.sleep(0.06)
            which.run(None, feed)
            turn = time.perf_counter()
            while time.perf_counter() - turn < 0.04 or len(spent) % 3:
                start = time.perf_counter()
                which.run(None, feed)
                spent.append(time.perf_counter() - start)
    return statistics.median(times[ours]), statistics.median(times[theirs])


class Cached(unittest.TestCase):
    """Packages of these tests are in a cache of their own."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        os.environ["CPPGEN_CACHE_DIR"] = os.path.join(cls.folder, "cache")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def compare(self, made, feeds, options=ALL, groups=None):
        """Runs a model with and without the provider; `groups` are the types of nodes that it must have taken."""
        ours, theirs = session(made, options), plain_session(made)
        if groups is not None:
            self.assertEqual(claimed(ours), sorted(groups))
        for feed in feeds:
            assert_same(ours.run(None, feed), theirs.run(None, feed))
        return ours
