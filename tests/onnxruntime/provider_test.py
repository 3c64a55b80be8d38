#!/usr/bin/python3
"""The execution provider in ONNX Runtime: what it takes, what it leaves, and that results are the same."""
import threading
import unittest

import numpy as np
import onnxruntime
import onnxruntime_extensions
from onnx import TensorProto, helper

from provider import (ALL, NAME, Cached, assert_same, claimed, constant, dense_model, devices, floats, foreign, model,
                      node, plain_session, session, session_options, value)


class Registration(Cached):
    def test_the_processor_is_its_device(self):
        self.assertEqual(len(devices()), 1)
        self.assertEqual(devices()[0].ep_vendor, "cppgen")

    def test_providers_can_be_named(self):
        made = onnxruntime.InferenceSession(dense_model().SerializeToString(), session_options(ALL))
        self.assertEqual(made.get_providers()[0], NAME)


class Groups(Cached):
    def test_a_whole_graph_with_a_symbolic_size(self):
        ours = self.compare(dense_model(), [{"x": floats(n, 8)} for n in (1, 3, 64, 0)])
        self.assertEqual(len(claimed(ours)), 1)

    def test_operators_that_cppgen_lacks_are_left(self):
        self.compare(dense_model(True), [{"x": floats(3, 8)}], groups=[["MatMul", "Relu"], ["Exp", "Add"]])

    def test_groups_that_are_not_worth_it_are_left(self):
        made = model([node("Relu", ["x"], ["y"])], [value("x", dims=[4])], [value("y", dims=[4])])
        self.compare(made, [{"x": floats(4)}], options={}, groups=[])
        self.compare(made, [{"x": floats(4)}], options=ALL, groups=[["Relu"]])

    def test_a_branch_around_a_foreign_node_makes_no_cycle(self):
        nodes = [node("Relu", ["x"], ["a"]), foreign("a", "b"), node("Exp", ["a"], ["c"]), node("Neg", ["c"], ["d"]),
                 node("Add", ["b", "d"], ["y"])]
        made = model(nodes, [value("x", dims=[4])], [value("y", dims=[4])])
        self.compare(made, [{"x": floats(4)}], groups=[["Relu", "Exp", "Neg"], ["Add"]])

    def test_many_threads_share_a_session(self):
        ours, theirs = session(dense_model(), ALL), plain_session(dense_model())
        failures = []

        def work(seed):
            feed = {"x": floats(1 + seed % 5, 8, seed=seed)}
            for _ in range(50):
                try:
                    assert_same(ours.run(None, feed), theirs.run(None, feed))
                except AssertionError as error:
                    failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class CustomOperators(Cached):
    """Those of onnxruntime-extensions do not say the shapes of their results."""

    def compare_with_library(self, made, feed, groups):
        library = onnxruntime_extensions.get_library_path()
        ours = onnxruntime.InferenceSession(
            made.SerializeToString(), session_options(dict(ALL, max_boundary="1000"), custom_operators=library))
        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(library)
        theirs = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
        self.assertEqual(claimed(ours), sorted(groups))
        assert_same(ours.run(None, feed), theirs.run(None, feed))

    def custom_model(self, nodes, y):
        custom = helper.make_node("NegPos", ["x"], ["n", "p"], domain="ai.onnx.contrib")
        return model([custom] + nodes, [value("x", dims=[1, 2, 6, 6])], [y], [constant("w", floats(2, 2, 3, 3))],
                     domains=("ai.onnx.contrib",))

    def test_a_rank_that_follows_from_the_group(self):
        nodes = [node("Conv", ["p", "w"], ["a"]), node("Relu", ["a"], ["b"]),
                 node("GlobalAveragePool", ["b"], ["y"])]
        self.compare_with_library(self.custom_model(nodes, value("y")), {"x": floats(1, 2, 6, 6)},
                                  [["Conv", "Relu", "GlobalAveragePool"]])

    def test_a_rank_that_does_not_is_left(self):
        nodes = [node("Relu", ["p"], ["a"]), node("Exp", ["a"], ["y"])]
        self.compare_with_library(self.custom_model(nodes, value("y")), {"x": floats(1, 2, 6, 6)}, [])


class Values(Cached):
    def test_sizes_that_only_the_data_tell(self):
        made = model([node("Relu", ["x"], ["a"]), node("NonZero", ["a"], ["b"]), node("Cast", ["b"], ["y"], to=1)],
                     [value("x", dims=["N", 4])], [value("y", dims=[2, None])])
        self.compare(made, [{"x": floats(3, 4)}, {"x": -np.ones((2, 4), np.float32)}, {"x": floats(5, 4)}],
                     groups=[["Relu", "NonZero", "Cast"]])

    def test_ranks_that_only_the_data_tell(self):
        branch = lambda of, out: helper.make_graph([of], out, [], [value(out)])
        for then in ("y", "z"):  # the result of the group, and what the foreign operator reads
            nodes = [node("Relu", ["x"], ["a"]),
                     node("If", ["c"], [then], then_branch=branch(node("Identity", ["a"], ["t"]), "t"),
                          else_branch=branch(node("Unsqueeze", ["a"], ["e"], axes=[0]), "e"))]
            if then == "z":
                nodes.append(foreign("z", "y"))
            made = model(nodes, [value("x", dims=[2, 3]), value("c", TensorProto.BOOL, [])], [value("y")], opset=11)
            self.compare(made, [{"x": floats(2, 3), "c": np.array(c)} for c in (True, False, True)], groups=[["Relu", "If"]])

    def broadcast_model(self, sizes):
        """w has four dimensions, of which its shape, an input, is not known; in between are foreign operators."""
        nodes = [node("Expand", ["m", sizes], ["w"]), foreign("w", "v"), node("Exp", ["x"], ["a"]),
                 node("Add", ["a", "v"], ["b"]), node("Relu", ["b"], ["y"])]
        return model(nodes, [value("x", dims=["N", 8, "S", "S"]), value("m", dims=["N", 1, 1, "S"]),
                             value("sizes", TensorProto.INT64, [4])], [value("y", dims=["N", 8, "S", "S"])],
                     [constant("ones", np.ones(4, np.int64))])

    def test_sizes_that_may_be_broadcast_are_not_assumed(self):
        made = self.broadcast_model("sizes")
        feeds = [{"x": floats(2, 8, 3, 3), "m": floats(2, 1, 1, 3), "sizes": np.array(it)} for it in ([1, 1, 1, 1], [2, 8, 3, 3])]
        ours = self.compare(made, feeds)
        self.assertNotIn("Add", sum(claimed(ours), []))

    def test_sizes_that_follow_from_another_group_are_known(self):
        nodes = [node("Shape", ["m"], ["s"]), node("Mul", ["s", "ones"], ["t"]), node("Expand", ["m", "t"], ["w"]),
                 foreign("x", "c"), node("Exp", ["c"], ["a"]), node("Add", ["a", "w"], ["b"]), node("Relu", ["b"], ["y"]),
                 foreign("w", "z")]
        made = model(nodes, [value("x", dims=["N", 8, "S", "S"]), value("m", dims=["N", 1, 1, "S"])],
                     [value("y", dims=["N", 8, "S", "S"]), value("z", dims=[None, None, None, None])],
                     [constant("ones", np.ones(4, np.int64))])
        self.compare(made, [{"x": floats(2, 8, 3, 3), "m": floats(2, 1, 1, 3)}],
                     groups=[["Exp", "Add", "Relu"], ["Shape", "Mul", "Expand"]])

    def test_types_of_inputs_and_outputs(self):
        for element in ("float16", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"):
            with self.subTest(element):
                kind = helper.np_dtype_to_tensor_dtype(np.dtype(element)) if hasattr(
                    helper, "np_dtype_to_tensor_dtype") else TensorProto.DataType.Value(
                        {"float64": "DOUBLE"}.get(element, element.upper()))
                made = model([node("Concat", ["x", "x"], ["a"], axis=0), node("Transpose", ["a"], ["y"])],
                             [value("x", kind, ["N", 3])], [value("y", kind, [3, None])])
                feed = {"x": np.random.RandomState(0).randint(0, 2, (2, 3)).astype(element)}
                self.compare(made, [feed], groups=[["Concat", "Transpose"]])

    def test_strings_are_left(self):
        made = model([node("Identity", ["s"], ["t"]), node("Exp", ["x"], ["y"])],
                     [value("s", TensorProto.STRING, [2]), value("x", dims=[2])],
                     [value("t", TensorProto.STRING, [2]), value("y", dims=[2])])
        ours = session(made, ALL)
        found = ours.run(None, {"s": np.array(["a", "b"], object), "x": floats(2)})
        self.assertEqual(list(found[0]), ["a", "b"])
        self.assertEqual(claimed(ours), [["Exp"]])

    def test_scalars_and_inputs_that_are_left_out(self):
        made = model([node("Clip", ["x", "", "high"], ["a"]), node("Mul", ["a", "s"], ["y"])],
                     [value("x", dims=["N"]), value("s", dims=[])], [value("y", dims=["N"])],
                     [constant("high", np.float32(0.25))])
        self.compare(made, [{"x": floats(9), "s": np.array(3, np.float32)}])

    def test_attributes_of_all_types(self):
        made = model([node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1], group=2, auto_pad="NOTSET"),
                      node("LeakyRelu", ["a"], ["b"], alpha=0.2), node("ConstantOfShape", ["shape"], ["c"],
                                                                       value=constant("", np.array([2.5], np.float32))),
                      node("Add", ["b", "c"], ["y"])],
                     [value("x", dims=[1, 2, 5, 5]), value("shape", TensorProto.INT64, [4])],
                     [value("y", dims=[None, None, None, None])], [constant("w", floats(4, 1, 3, 3))])
        self.compare(made, [{"x": floats(1, 2, 5, 5), "shape": np.array([1, 4, 5, 5])}])


class ControlFlow(Cached):
    def branches(self, foreign_inside):
        then = [node("MatMul", ["x", "w"], ["t1"]), node("Relu", ["t1"], ["t2" if foreign_inside else "t"])]
        if foreign_inside:
            then.append(foreign("t2", "t"))
        branch = lambda nodes, out: helper.make_graph(nodes, out, [], [value(out, dims=["N", 4])])
        return model([node("If", ["c"], ["i"], then_branch=branch(then, "t"),
                           else_branch=branch([node("Neg", ["x"], ["e"])], "e")), node("Exp", ["i"], ["y"])],
                     [value("x", dims=["N", 4]), value("c", TensorProto.BOOL, [])], [value("y", dims=["N", 4])],
                     [constant("w", floats(4, 4))])

    feeds = [{"x": floats(3, 4), "c": np.array(c)} for c in (True, False)]

    def test_nodes_with_bodies_are_taken_whole(self):
        self.compare(self.branches(False), self.feeds, groups=[["If", "Exp"]])

    def test_bodies_are_taken_where_their_node_is_not(self):
        self.compare(self.branches(True), self.feeds, groups=[["MatMul", "Relu"], ["Neg"], ["Exp"]])

    def test_loops(self):
        body = helper.make_graph([node("Add", ["v", "x"], ["v2"]), node("Identity", ["go"], ["go2"])], "body",
                                 [value("i", TensorProto.INT64, []), value("go", TensorProto.BOOL, []),
                                  value("v", dims=["N", 4])],
                                 [value("go2", TensorProto.BOOL, []), value("v2", dims=["N", 4])])
        made = model([node("Loop", ["n", "true", "x"], ["y"], body=body)],
                     [value("x", dims=["N", 4]), value("n", TensorProto.INT64, [])], [value("y", dims=["N", 4])],
                     [constant("true", np.array(True))])
        self.compare(made, [{"x": floats(3, 4), "n": np.array(n)} for n in (3, 0)], groups=[["Loop"]])


if __name__ == "__main__":
    unittest.main()
