"""Compiling: options, progress, cancellation, errors, questions about models."""
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import cppgen
import models
from cppgen import _compilers


def test_path_bytes_and_proto(tmp_path, x24):
    model = models.relu()
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    packages = [cppgen.compile(it) for it in (path, str(path), path.read_bytes(), memoryview(path.read_bytes()), model)]
    assert len({it.path for it in packages[2:]}) == 1
    for package in packages:
        np.testing.assert_array_equal(package.load()(x24), np.maximum(x24, 0))
    with pytest.raises(TypeError, match="a model is a path, bytes or an onnx.ModelProto, not int"):
        cppgen.compile(5)
    with pytest.raises(cppgen.UserError, match="missing.onnx"):
        cppgen.compile(tmp_path / "missing.onnx")


def test_output(tmp_path, x24):
    package = cppgen.compile(models.relu(), output=tmp_path / "p")
    assert package.path == str(tmp_path / "p") == os.fspath(package) and (tmp_path / "p" / "manifest.json").exists()
    assert package.report["kernels"] == 1
    for source in (package, package.path, tmp_path / "p"):
        np.testing.assert_array_equal(cppgen.Session(source, threads=1)(x24), np.maximum(x24, 0))
    with pytest.raises(cppgen.UserError, match="is a package, which is compiled already"):
        cppgen.Session(package.path, dims={"N": 2})


def test_dims_and_sizes(x24):
    session = cppgen.Session(models.relu(), dims={"N": 2})
    assert session.inputs[0].shape == (2, 4)
    named = cppgen.Session(models.relu(), dims={"x.0": "rows"})
    assert named.inputs[0].shape == ("rows", 4)
    several = cppgen.Session(models.relu(), sizes=[{"N": 1}, {"N": 2}], profile=True)
    several(x24)
    assert {step.version for step in several.profile() if step.calls} == {"N=2"}
    with pytest.raises(cppgen.UserError, match="length"):
        cppgen.compile(models.relu(), dims={"length": 3})


def test_tuning(tmp_path, monkeypatch, x24):
    commands = []
    original = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **named: commands.append(command) or original(command, **named))
    report = cppgen.tune(models.relu(), dims={"N": 2}, threads=1, seconds=1)
    assert isinstance(report, cppgen.Tuning) and "--set=THREADS=1" in commands[0] and "--dim=N=2" in commands[0]
    path = tmp_path / "m.onnx"
    path.write_bytes(models.relu().SerializeToString())
    for make in (cppgen.compile, cppgen.Session):
        make(path, dims={"N": 2}, settings={"MAX_AUTOTUNE": True})
        assert commands[-1][1:3] == ["tune", str(path)] and "--set=MAX_AUTOTUNE=1" in commands[-1]
    assert len(commands) == 3
    monkeypatch.setenv("CPPGEN_MAX_AUTOTUNE", "1")
    np.testing.assert_array_equal(cppgen.Session(path, dims={"N": 2})(x24), np.maximum(x24, 0))
    assert len(commands) == 4
    with pytest.raises(cppgen.UserError, match="tuning failed: .*'N'.* has no size"):
        cppgen.tune(path)
    monkeypatch.setattr(_compilers, "setting", lambda values: "/no/compiler")
    with pytest.raises(cppgen.UserError, match="tuning failed: .*/no/compiler"):
        cppgen.tune(path, dims={"N": 2})


def test_isa_and_settings(tmp_path, x24):
    package = cppgen.compile(models.relu(), isa="scalar", output=tmp_path / "p")
    assert package.report["isa"] == "scalar"
    session = cppgen.Session(models.relu(), isa="scalar", settings={"threads": 1, "FAST_MATH": None, "COMPILER_OPT": "-O1"})
    assert session.stats["threads"] == 1
    np.testing.assert_array_equal(session(x24), np.maximum(x24, 0))
    with pytest.raises(cppgen.UserError, match="FROBNICATE"):
        cppgen.compile(models.relu(), settings={"FROBNICATE": 1})
    with pytest.raises(cppgen.UserError, match="affects compilation"):
        package.load(settings={"COMPILER_OPT": "-O1"})
    with pytest.raises(cppgen.UserError, match="the setting THREADS is 'many', which is no number"):
        package.load(settings={"THREADS": "many"})
    with pytest.raises(cppgen.UserError, match="threads is 0; allowed is 1 or more"):
        package.load(threads=0)


def test_progress(tmp_path):
    seen = []
    cppgen.compile(models.many_kernels(3), output=tmp_path / "p", settings={"CACHE_DIR": str(tmp_path / "cache")},
                   progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1] and seen == sorted(seen)

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        cppgen.compile(models.many_kernels(4), settings={"CACHE_DIR": str(tmp_path / "cache2")}, progress=stop)


def test_cancel_from_another_thread(tmp_path):
    cancel, begun, seen = cppgen.Cancel(), threading.Event(), []

    def note(done, total):
        seen.append((done, total))
        begun.set()

    thread = threading.Thread(target=lambda: (begun.wait(), cancel.request()), daemon=True)
    thread.start()
    with pytest.raises(cppgen.Cancelled):
        cppgen.compile(models.many_kernels(), settings={"CACHE_DIR": str(tmp_path), "COMPILE_THREADS": 1}, cancel=cancel,
                       progress=note)
    thread.join()
    done, total = seen[-1]
    assert done < total / 2, "it did not end soon"
    with pytest.raises(cppgen.Cancelled):
        cppgen.compile(models.many_kernels(), settings={"CACHE_DIR": str(tmp_path)}, cancel=cancel)


INTERRUPTED = """
import os, pathlib, signal, sys, threading
sys.path.insert(0, {folder!r})
import cppgen, models
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts programs in the background with it ignored
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    cppgen.compile(models.many_kernels(60), settings={{"CACHE_DIR": {cache!r}, "COMPILE_THREADS": 1}})
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted after", len(list(pathlib.Path({cache!r}).glob("kernels/**/*.so"))), "objects")
"""


def test_control_c_ends_a_compilation(tmp_path, run_script):
    output = run_script(INTERRUPTED.format(folder=os.path.dirname(__file__), cache=str(tmp_path)))
    assert output.startswith("interrupted after ")
    assert int(output.split()[2]) < 10


def test_unsupported_models_are_refused_with_reasons():
    model = models.model([models.node("Frobnicate", ["x"], ["y"])], [models.tensor("x", [1])], [models.tensor("y", [1])])
    found = cppgen.check(model)
    assert not found and not found.supported and "Frobnicate" in str(found)
    with pytest.raises(cppgen.UserError, match="Frobnicate"):
        cppgen.compile(model)


def test_questions():
    model = models.many_kernels(3)
    found = cppgen.check(model)
    assert found and found["supported"] and found.nodes == 24 and "supported" in str(found)
    seen = cppgen.inspect(model)
    assert seen.operators == {"MatMul": 3, "Sigmoid": 16, "Softmax": 3, "Tanh": 2} and "x     float32  [7, 16]" in str(seen)
    explained = cppgen.explain(model, isa="avx2")
    assert explained.isa == "avx2" and len(explained.steps) == explained.step_count
    assert "predicted ms" in str(explained)
    for report in (found, seen, explained):
        assert report._repr_html_().startswith("<table>") and repr(report) == f"<cppgen.{type(report).__name__} of model.onnx>"
    with pytest.raises(AttributeError, match="Check has no 'frobnicate'"):
        _ = found.frobnicate
    assert cppgen.config()["THREADS"]["used_by_runs"] and not cppgen.config()["CXX"]["used_by_runs"]


def test_profile(x24):
    session = cppgen.Session(models.relu(), profile=True)
    assert "no measurements" in str(session.profile())
    for _ in range(3):
        session(x24)
    profile = session.profile()
    assert profile[0].calls == 3 and profile[0].engine == "loops" and profile[0].nodes.startswith("Relu")
    assert 0 < profile.seconds < 60 and len(profile) == session.stats["steps"]
    assert "engine" in str(profile).splitlines()[0] and "<table>" in profile._repr_html_()


def test_the_program(run_script):
    ended = subprocess.run([sys.executable, "-m", "cppgen", "--version"], capture_output=True, text=True, check=True)
    assert cppgen.__version__ in ended.stdout


def test_messages_go_to_logging(tmp_path, caplog):
    with caplog.at_level("INFO", logger="cppgen"):
        cppgen.compile(models.relu(("N", 5)), settings={"CACHE_DIR": str(tmp_path)})
    assert any(record.name == "cppgen" and record.levelname == "INFO" for record in caplog.records)
