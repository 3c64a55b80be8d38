"""Programs that say `import onnxruntime` run unchanged with cppgen."""
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

import cppgen.onnxruntime
import models

# What packages of PyPI do with ONNX Runtime, in one program.
PROGRAM = """
import sys
from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions, get_available_providers, get_device
from onnxruntime.capi import _pybind_state as C
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument, SessionOptions as SameOptions
import onnxruntime as ort

assert SameOptions is SessionOptions and C.get_available_providers() == ort.get_available_providers()
ort.set_default_logger_severity(3)
options = SessionOptions()
options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
options.enable_cpu_mem_arena = False
session = InferenceSession(sys.argv[1], sess_options=options, providers=[("CPUExecutionProvider", {"arena": "same"})])
try:
    session.run(None, {"x": [1, 2]})
except InvalidArgument:
    print(ort.__name__, tuple(map(int, ort.__version__.split("."))) >= (1, 20), session.run(None, {"x": [[-1.0, 2, -3, 4]]}))
"""
EXPECTED = "cppgen.onnxruntime True [array([[0., 2., 0., 4.]], dtype=float32)]\n"


@pytest.fixture
def program(tmp_path):
    (tmp_path / "model.onnx").write_bytes(models.relu().SerializeToString())
    (tmp_path / "program.py").write_text("from the_same_folder import *", encoding="utf-8")
    (tmp_path / "the_same_folder.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def output(folder, *arguments):
    ended = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.parametrize("which", [["program.py"], ["-m", "program"]])
def test_the_command(program, which):
    assert output(program, "-m", "cppgen.onnxruntime", *which, "model.onnx") == EXPECTED


def test_the_command_without_a_program(program):
    for arguments in ([], ["-m"], ["--help"]):
        ended = subprocess.run([sys.executable, "-m", "cppgen.onnxruntime", *arguments], capture_output=True, text=True, check=False)
        assert ended.returncode == 1 and "python -m cppgen.onnxruntime SCRIPT.py" in ended.stderr


def test_installing(program):
    code = "import cppgen.onnxruntime as ours; ours.install(); ours.install(); import program"
    assert output(program, "-c", code, "model.onnx") == EXPECTED


def test_installing_too_late(program):
    (program / "onnxruntime").mkdir()
    (program / "onnxruntime" / "__init__.py").write_text("from . import inner")
    (program / "onnxruntime" / "inner.py").write_text("")
    code = """
import sys
import onnxruntime, cppgen.onnxruntime
for module in ("onnxruntime", "onnxruntime.inner"):
    try:
        cppgen.onnxruntime.install()
    except ImportError as error:
        print(error)
    del sys.modules[module]
cppgen.onnxruntime.install()
"""
    found = output(program, "-c", code)
    assert found == "".join(f"{name} is imported already: call cppgen.onnxruntime.install() before\n"
                            for name in ("onnxruntime", "onnxruntime.inner"))


@pytest.fixture(params=["cppgen.onnxruntime", "onnxruntime"])
def ort(request):
    return pytest.importorskip(request.param)


def test_modules_and_classes(ort):
    collection = __import__(ort.__name__ + ".capi.onnxruntime_inference_collection", fromlist=["InferenceSession"])
    assert collection.InferenceSession is ort.InferenceSession and collection.OrtValue is ort.OrtValue

    class Mine(ort.InferenceSession):
        """As packages derive classes."""

        def __init__(self, path, **options):
            super().__init__(path, **options)
            self.path = path

    session = Mine(models.relu().SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.path and session.get_providers() == ["CPUExecutionProvider"]
    assert isinstance(session.get_profiling_start_time_ns(), int)


def test_names(ort):
    """Names that packages use besides sessions exist in ONNX Runtime, too, where it is installed."""
    state = __import__(ort.__name__ + ".capi._pybind_state", fromlist=["get_device"])
    for module in (ort, state):
        assert module.get_device() == "CPU" and "CPUExecutionProvider" in module.get_available_providers()
        assert module.get_version_string() == ort.__version__ and module.get_build_info() and not module.has_collective_ops()
        module.set_default_logger_verbosity(0)
        module.set_seed(1)
    ort.print_debug_info()
    ours = set(cppgen.onnxruntime.capi.onnxruntime_pybind11_state.__all__)
    assert set(cppgen.onnxruntime.__all__) - {"install"} <= set(dir(ort)) and ours <= set(dir(state))


def test_providers_of_options(ort):
    options = ort.SessionOptions()
    assert not options.has_providers()
    options.add_provider("CPUExecutionProvider", {})
    assert options.has_providers()
    session = ort.InferenceSession(models.relu().SerializeToString(), options)
    assert session.get_providers() == ["CPUExecutionProvider"]


@pytest.mark.parametrize("from_file", [True, False])
def test_optimized_models(ort, tmp_path, from_file):
    path, stored = tmp_path / "model.onnx", tmp_path / "optimized.onnx"
    path.write_bytes(models.relu().SerializeToString())
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(stored)
    ort.InferenceSession(path if from_file else path.read_bytes(), options, providers=["CPUExecutionProvider"])
    session = ort.InferenceSession(stored, providers=["CPUExecutionProvider"])
    assert session.run(None, {"x": np.float32([[-1, 2, -3, 4]])})[0].tolist() == [[0, 2, 0, 4]]


def test_optimized_models_that_cannot_be_written(tmp_path):
    ours, x = cppgen.onnxruntime, models.tensor("x", ["N", 4])
    weights = onnx.numpy_helper.from_array(np.ones((1, 4), np.float32), "w")
    model = models.model([models.node("Add", ["x", "w"], ["y"])], [x], [models.tensor("y", ["N", 4])], [weights])
    path = tmp_path / "model.onnx"
    onnx.save(model, str(path), save_as_external_data=True, location="weights", size_threshold=0)
    os.mkdir(tmp_path / "elsewhere")
    options = ours.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "elsewhere" / "model.onnx")
    with pytest.raises(ours.NotImplemented, match="weights of .* are in files beside it"):
        ours.InferenceSession(path, options)
    options.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    ours.InferenceSession(path, options)
    assert (tmp_path / "optimized.onnx").read_bytes() == path.read_bytes()
    options.optimized_model_filepath = str(path)
    ours.InferenceSession(path, options)
    package = cppgen.compile(path, output=tmp_path / "p")
    with pytest.raises(ours.NotImplemented, match="is a package"):
        ours.InferenceSession(package.path, options)
