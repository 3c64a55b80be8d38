#!/usr/bin/python3
"""EPContext models: stored by one session, loaded by another one without a compiler."""
import os
import shutil
import unittest

import onnx

from provider import ALL, Cached, assert_same, claimed, dense_model, floats, plain_session, session

NO_COMPILER = dict(ALL, CXX="/nonexistent/g++", CACHE_DIR="/nonexistent/cache")


class Contexts(Cached):
    feed = {"x": floats(3, 8)}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def store(self, made, name, embedded, options=ALL):
        """Stores the EPContext model of a model, in a folder of its own, and returns its path."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        stored = self.path(name, "model_ctx.onnx")
        session(made, options, {"ep.context_enable": "1", "ep.context_embed_mode": str(int(embedded)),
                                "ep.context_file_path": stored})
        return stored

    def check(self, stored, made):
        loaded = session(stored, NO_COMPILER)
        assert_same(loaded.run(None, self.feed), plain_session(made).run(None, self.feed))
        return loaded

    def test_a_package_next_to_the_model(self):
        stored = self.store(dense_model(), "beside", False)
        folders = [n for n in os.listdir(self.path("beside")) if n.endswith(".package")]
        self.assertEqual(len(folders), 1)
        self.check(stored, dense_model())
        os.rename(self.path("beside"), self.path("moved"))
        self.check(self.path("moved", "model_ctx.onnx"), dense_model())

    def test_a_package_inside_the_model(self):
        stored = self.store(dense_model(), "inside", True)
        self.assertEqual(os.listdir(self.path("inside")), ["model_ctx.onnx"])
        self.check(stored, dense_model())
        with open(stored, "rb") as f:
            content = f.read()
        assert_same(session(content, NO_COMPILER).run(None, self.feed), plain_session(dense_model()).run(None, self.feed))

    def test_mixed_graphs(self):
        for embedded in (False, True):
            stored = self.store(dense_model(True), "mixed", embedded)
            types = [n.op_type for n in onnx.load(stored).graph.node]
            self.assertEqual(sorted(types), ["EPContext", "EPContext", "SampleOp"])
            loaded = self.check(stored, dense_model(True))
            self.assertEqual(claimed(loaded), [["EPContext"], ["EPContext"]])

    def test_the_default_place_is_beside_the_original_model(self):
        os.makedirs(self.path("default"), exist_ok=True)
        with open(self.path("default", "net.onnx"), "wb") as f:
            f.write(dense_model().SerializeToString())
        session(self.path("default", "net.onnx"), ALL, {"ep.context_enable": "1"})
        self.check(self.path("default", "net_ctx.onnx"), dense_model())

    def changed(self, stored, change):
        made = onnx.load(stored)
        for attribute in made.graph.node[0].attribute:
            if attribute.name == "ep_cache_context":
                attribute.s = change(attribute.s)
        with open(stored, "wb") as f:
            f.write(made.SerializeToString())

    def assert_refused(self, stored, text):
        with self.assertRaisesRegex(Exception, text):
            session(stored, NO_COMPILER)

    def test_paths_that_lead_out_are_refused(self):
        for path in (b"../other.package", b"/tmp/other.package", b""):
            stored = self.store(dense_model(), "out", False)
            self.changed(stored, lambda _, path=path: path)
            self.assert_refused(stored, "relative paths in the folder of the model")

    def test_packages_that_are_gone_or_damaged_are_refused(self):
        stored = self.store(dense_model(), "gone", False)
        self.changed(stored, lambda _: b"other.package")
        self.assert_refused(stored, "other.package")
        stored = self.store(dense_model(), "damaged", True)
        self.changed(stored, lambda archive: archive[:len(archive) // 2])
        self.assert_refused(stored, "the embedded package is damaged")


if __name__ == "__main__":
    unittest.main()
