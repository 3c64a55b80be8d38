#!/usr/bin/python3
"""Real networks through the provider, whole and with operators that cppgen lacks, compared with ONNX Runtime alone.

usage: networks_test.py FOLDER

Prints the time of a run as a multiple of ONNX Runtime's, from alternating runs.
"""
import os
import sys
import tempfile
import unittest

import numpy as np

from foreign import with_foreign_nodes
from provider import Cached, claimed, median_times, plain_session, session

FOLDER = sys.argv.pop()
NAMES = ["squeezenet1_1", "mobilenet_v2", "shufflenet_v1", "dlrm"]  # as tests/run.sh prepares them always
MORE = ["bert_base", "resnet50"]
ALL_GROUPS = ["squeezenet1_1", "dlrm"]  # those whose groups are compiled even where that is not worth it
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def present(names):
    return [n for n in names if os.path.exists(os.path.join(FOLDER, n + ".onnx"))]


def random_inputs(of):
    random, feed = np.random.RandomState(0), {}
    for given in of.get_inputs():
        dims = [d if isinstance(d, int) else 1 for d in given.shape]
        kind = TYPES[given.type]
        feed[given.name] = (random.rand(*dims) if kind == np.float32 else random.randint(0, 2, dims)).astype(kind)
    return feed


class Networks(Cached):
    def compare(self, name, path, options=None):
        ours, theirs = session(path, options), plain_session(path)
        feed = random_inputs(theirs)
        for a, b in zip(ours.run(None, feed), theirs.run(None, feed)):
            self.assertEqual((a.shape, a.dtype), (b.shape, b.dtype))
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5 * max(1, float(np.abs(b).max())), err_msg=name)
        ours_takes, theirs_takes = median_times(ours, theirs, feed)
        print(f"{name}: {len(claimed(ours))} groups, {ours_takes / theirs_takes:.2f} of ONNX Runtime's time", flush=True)
        return ours

    def test_whole(self):
        for name in present(NAMES + MORE):
            with self.subTest(name):
                ours = self.compare(name, os.path.join(FOLDER, name + ".onnx"))
                self.assertEqual(len(claimed(ours)), 1)

    def test_mixed(self):
        for name in present(NAMES):
            with self.subTest(name):
                path = os.path.join(FOLDER, name + ".onnx")
                with tempfile.NamedTemporaryFile(dir=FOLDER, suffix=".onnx") as file:  # external data is beside it
                    file.write(with_foreign_nodes(path, 3).SerializeToString())
                    file.flush()
                    self.compare(name + " with foreign nodes", file.name)
                    if name in ALL_GROUPS:
                        ours = self.compare(name + ", all groups", file.name, {"max_boundary": "1000", "min_nodes": "1"})
                        self.assertGreaterEqual(len(claimed(ours)), 2)


if __name__ == "__main__":
    if not present(NAMES):
        print("skipped: there are no networks in " + FOLDER)
        sys.exit(77)
    unittest.main()
