#!/usr/bin/python3
"""Options of the provider, and what happens where a compilation fails."""
import os
import subprocess
import sys
import unittest

from provider import (ALL, Cached, assert_same, claimed, constant, dense_model, floats, foreign, model, node,
                      plain_session, session, value)


class Options(Cached):
    feed = {"x": floats(3, 8)}

    def assert_refused(self, options, text):
        with self.assertRaisesRegex(Exception, text):
            session(dense_model(), options)

    def test_settings_reach_the_compiler(self):
        sources = os.path.join(self.folder, "settings_cache")
        ours = session(dense_model(), dict(ALL, isa="scalar", CACHE_DIR=sources))
        assert_same(ours.run(None, self.feed), plain_session(dense_model()).run(None, self.feed))
        self.assertTrue(os.listdir(sources))

    def test_threads(self):
        for threads in ("1", "2"):
            ours = session(dense_model(), dict(ALL, threads=threads))
            assert_same(ours.run(None, self.feed), plain_session(dense_model()).run(None, self.feed))

    def test_threads_of_groups_and_of_whole_models(self):
        def started(foreign_in_between, options, threads):
            arguments = [str(foreign_in_between), str(threads), *(f"{name}={value}" for name, value in options.items())]
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "started_threads.py")
            ended = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, check=True)
            return int(ended.stdout)

        more = min(2, len(os.sched_getaffinity(0))) - 1
        self.assertEqual(started(True, {}, 2), 0)
        self.assertEqual(started(True, {"threads": "2"}, 2), 1)
        self.assertEqual(started(False, {}, 1), 0)
        self.assertEqual(started(False, {}, 2), more)

    def test_sizes_and_dims(self):
        ours = session(dense_model(), dict(ALL, sizes="N=1;N=3"))
        for n in (1, 2, 3):
            feed = {"x": floats(n, 8)}
            assert_same(ours.run(None, feed), plain_session(dense_model()).run(None, feed))
        fixed = session(dense_model(), dict(ALL, dims="N=3"))
        assert_same(fixed.run(None, self.feed), plain_session(dense_model()).run(None, self.feed))
        with self.assertRaisesRegex(Exception, "input 'x' axis 0 is 2; the model requires 3"):
            fixed.run(None, {"x": floats(2, 8)})

    def test_the_least_work_of_a_group(self):
        self.assertEqual(len(claimed(session(dense_model(), {"min_nodes": "4"}))), 1)
        self.assertEqual(claimed(session(dense_model(), {"min_nodes": "9"})), [])
        self.assertEqual(len(claimed(session(dense_model(), {"min_nodes": "9", "min_milliseconds": "0"}))), 1)

    def test_groups_of_images_are_taken_if_they_are_long_enough(self):
        made = model([foreign("x", "a"), node("Conv", ["a", "w"], ["b"], pads=[1, 1, 1, 1]), node("Relu", ["b"], ["c"]),
                      node("MaxPool", ["c"], ["y"], kernel_shape=[2, 2])],
                     [value("x", dims=[1, 4, 16, 16])], [value("y", dims=[1, 4, 15, 15])],
                     [constant("w", floats(4, 4, 3, 3))])
        self.assertEqual(claimed(session(made, ALL)), [])
        ours = session(made, dict(ALL, max_boundary="100"))
        self.assertEqual(claimed(ours), [["Conv", "Relu", "MaxPool"]])
        feed = {"x": floats(1, 4, 16, 16)}
        assert_same(ours.run(None, feed), plain_session(made).run(None, feed))

    def test_unknown_options_and_bad_values_are_refused(self):
        self.assert_refused({"threds": "1"}, "threds|THREDS")
        self.assert_refused({"threads": "many"}, "many")
        self.assert_refused({"min_nodes": "-1"}, "option min_nodes is '-1'; allowed are numbers from 0")

    def test_without_a_compiler_nodes_are_left_to_onnxruntime(self):
        ours = session(dense_model(), dict(ALL, CXX="/nonexistent/g++", CACHE_DIR=os.path.join(self.folder, "empty")))
        self.assertEqual(claimed(ours), [])
        assert_same(ours.run(None, self.feed), plain_session(dense_model()).run(None, self.feed))

    def test_wrong_sizes_are_an_error_of_the_run(self):
        made = model([node("Add", ["x", "y"], ["z"])], [value("x", dims=["N"]), value("y", dims=["N"])],
                     [value("z", dims=["N"])])
        ours = session(made, ALL)
        with self.assertRaisesRegex(Exception, "input 'y' axis 0 is 4, but N is 3"):
            ours.run(None, {"x": floats(3), "y": floats(4)})
        feed = {"x": floats(3), "y": floats(3)}
        assert_same(ours.run(None, feed), plain_session(made).run(None, feed))


if __name__ == "__main__":
    unittest.main()
