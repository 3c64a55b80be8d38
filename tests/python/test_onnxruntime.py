"""cppgen.onnxruntime behaves as ONNX Runtime. Each test runs with ours, and with the real one where it is installed."""
import json
import logging
import threading

import numpy as np
import onnx
import pytest

import cppgen.onnxruntime
import models


@pytest.fixture(params=["cppgen.onnxruntime", "onnxruntime"])
def ort(request):
    return pytest.importorskip(request.param)


def session(ort, model, **options):
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"], **options)


def state(ort):
    return __import__(ort.__name__ + ".capi.onnxruntime_pybind11_state", fromlist=["InvalidArgument"])


def test_run(ort):
    s = session(ort, models.difference())
    a, b = np.float32([[5, 6]]), np.float32([[1, 2]])
    d, total = s.run(None, {"a": a, "b": b})
    assert d.tolist() == [[4, 4]] and total.tolist() == [[6, 8]] and d.dtype == np.float32
    assert [it.tolist() for it in s.run(["s"], {"a": a, "b": b})] == [[[6, 8]]]
    assert isinstance(s.run([], {"a": a, "b": b}), list) and len(s.run([], {"a": a, "b": b})) == 2
    assert s.run(["s", "d"], {"b": b, "a": a}, ort.RunOptions())[1].tolist() == [[4, 4]]
    assert s.run(None, {"a": [[5.0, 6.0]], "b": np.asfortranarray(b)})[0].tolist() == [[4, 4]]


def test_descriptions(ort):
    s = session(ort, models.difference())
    for it, name in zip([*s.get_inputs(), *s.get_outputs()], "abds"):
        assert (it.name, it.type, it.shape) == (name, "tensor(float)", ["N", "M"])
    assert str(s.get_inputs()[0]) == "NodeArg(name='a', type='tensor(float)', shape=['N', 'M'])"
    assert s.get_providers() == ["CPUExecutionProvider"] and ort.get_device() == "CPU"
    assert "CPUExecutionProvider" in ort.get_available_providers()
    model = models.relu((None, 4))
    model.metadata_props.add(key="names", value="{0: 'cat'}")
    model.model_version, model.domain, model.doc_string = 7, "test.domain", "says much"
    s = session(ort, model)
    assert s.get_inputs()[0].shape == [None, 4]
    meta = s.get_modelmeta()
    assert meta.custom_metadata_map == {"names": "{0: 'cat'}"} and meta.version == 7 and meta.domain == "test.domain"
    assert meta.description == "says much" and meta.producer_name == "tests" and meta.graph_name == "test"


def test_kinds_of_values(ort):
    s = session(ort, models.joined_sequence())
    assert s.get_inputs()[0].type == "seq(tensor(float))"
    y, n, again = s.run(None, {"s": [np.float32([1, 2]), np.float32([3])]})
    assert y.tolist() == [1, 2, 3] and n == 2 and [it.tolist() for it in again] == [[1, 2], [3], [3]]
    s = session(ort, models.positions())
    assert s.run(None, {"x": np.float32([0, 3])})[0].tolist() == [[1]]
    s = session(ort, models.dictionary())
    assert s.get_inputs()[0].type == "map(string,tensor(float))"
    assert s.run(None, {"x": {"c": 3.0, "a": 1.0}})[0].tolist() == [[1, 0, 3]]


def test_maps_of_a_classifier(ort):
    model = models.model(
        [models.node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["cat", "dog"])],
        [models.tensor("x", ["N", 2])], [models.map_sequence("y")], opsets={"": 17, "ai.onnx.ml": 3})
    s = session(ort, model)
    assert s.get_outputs()[0].type == "seq(map(string,tensor(float)))"
    assert s.run(None, {"x": np.float32([[0.25, 0.75], [1, 0]])})[0] == [{"cat": 0.25, "dog": 0.75}, {"cat": 1, "dog": 0}]


def test_strings(ort):
    s = session(ort, models.model([models.node("Identity", ["t"], ["u"])], [models.tensor("t", ["N"], models.STRING)],
                                  [models.tensor("u", ["N"], models.STRING)]))
    assert s.get_inputs()[0].type == "tensor(string)"
    assert s.run(None, {"t": np.array(["one", "zwölf"])})[0].tolist() == ["one", "zwölf"]


def test_mistakes(ort):
    s, x = session(ort, models.relu()), np.ones((2, 4), np.float32)
    errors = state(ort)
    with pytest.raises(ValueError, match="Required inputs .*'x'.* are missing"):
        s.run(None, {})
    with pytest.raises(errors.InvalidArgument):
        s.run(None, {"x": x.astype(np.float64)})
    with pytest.raises(errors.InvalidArgument):
        s.run(None, {"x": x[:, :3]})
    with pytest.raises(errors.InvalidArgument):
        s.run(None, {"x": x, "z": x})
    with pytest.raises(errors.InvalidArgument):
        s.run(["q"], {"x": x})
    with pytest.raises(errors.NoSuchFile):
        ort.InferenceSession("missing.onnx", providers=["CPUExecutionProvider"])
    for content, refusal in ((b"this is no model", errors.InvalidProtobuf), (b"", errors.InvalidArgument),
                             (onnx.ModelProto(ir_version=8).SerializeToString(), errors.InvalidArgument)):
        with pytest.raises(refusal):
            ort.InferenceSession(content, providers=["CPUExecutionProvider"])
    for options in (ort.SessionOptions().get_session_config_entry, ort.RunOptions().get_run_config_entry):
        with pytest.raises(RuntimeError, match="does not have configuration with key: none"):
            options("none")
    with pytest.raises(AttributeError):
        ort.SessionOptions().frobnicate = 1


def test_options(ort):
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    options.add_free_dimension_override_by_name("N", 2)
    s = session(ort, models.relu(), sess_options=options)
    x = np.float32([[-1, 1, -2, 2]] * 2)
    np.testing.assert_array_equal(s.run(None, {"x": x})[0], np.maximum(x, 0))
    assert s.get_inputs()[0].shape == [2, 4]
    with pytest.raises(state(ort).InvalidArgument):
        s.run(None, {"x": x[:1]})


def test_profile(ort, tmp_path):
    options = ort.SessionOptions()
    assert session(ort, models.relu()).end_profiling() == ""
    options.enable_profiling, options.profile_file_prefix = True, str(tmp_path / "profile")
    s = session(ort, models.relu(), sess_options=options)
    for _ in range(3):
        s.run(None, {"x": np.ones((1, 4), np.float32)})
    path = s.end_profiling()
    assert path.startswith(str(tmp_path / "profile_")) and path.endswith(".json")
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    kernels = [it for it in events if it["cat"] == "Node" and it["name"].endswith("_kernel_time")]
    assert kernels and all("Relu" in it["args"]["op_name"] and it["ph"] == "X" and it["dur"] >= 0 for it in kernels)
    assert any(it["cat"] == "Session" and it["name"] == "model_run" for it in events)


def test_terminated_runs(ort):
    s, options = session(ort, models.relu()), ort.RunOptions()
    options.terminate = True
    with pytest.raises(state(ort).Fail):
        s.run(None, {"x": np.ones((2, 4), np.float32)}, options)


def test_values(ort):
    x = np.float32([[1, -2, 3, -4]])
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value.shape() == [1, 4] and value.data_type() == "tensor(float)" and value.device_name() == "cpu"
    assert value.is_tensor() and value.has_value() and not value.is_tensor_sequence()
    assert value.numpy().tolist() == x.tolist() and value.element_type() == 1
    empty = ort.OrtValue.ortvalue_from_shape_and_type([1, 4], np.float32)
    empty.update_inplace(x)
    assert empty.numpy().tolist() == x.tolist()
    results = session(ort, models.relu()).run_with_ort_values(["y"], {"x": value})
    assert results[0].numpy().tolist() == [[1, 0, 3, 0]]


def test_bindings(ort):
    s, x = session(ort, models.difference()), np.float32([[1, -2, 3, -4]])
    out, pointed = np.empty_like(x), np.full_like(x, 2)
    binding = s.io_binding()
    binding.bind_cpu_input("a", x)
    binding.bind_input("b", "cpu", 0, np.float32, pointed.shape, pointed.ctypes.data)
    binding.bind_output("d")
    binding.bind_output("s", "cpu", 0, np.float32, out.shape, out.ctypes.data)
    s.run_with_iobinding(binding)
    assert out.tolist() == [[3, 0, 5, -2]]
    d, total = binding.copy_outputs_to_cpu()
    assert d.tolist() == [[-1, -4, 1, -6]] and total.tolist() == out.tolist()
    assert [it.numpy().tolist() for it in binding.get_outputs()] == [d.tolist(), total.tolist()]
    held = ort.OrtValue.ortvalue_from_numpy(np.zeros_like(x))
    binding.clear_binding_outputs()
    binding.bind_ortvalue_input("b", ort.OrtValue.ortvalue_from_numpy(x))
    binding.bind_ortvalue_output("s", held)
    s.run_with_iobinding(binding)
    assert held.numpy().tolist() == (2 * x).tolist()


def test_async_runs(ort):
    done, seen = threading.Event(), []

    def finished(results, user_data, error):
        seen.append((results, user_data, error))
        done.set()

    session(ort, models.relu()).run_async(None, {"x": np.float32([[-1, 1, 0, 2]])}, finished, "mine")
    assert done.wait(60)
    assert seen[0][0][0].tolist() == [[0, 1, 0, 2]] and seen[0][1:] == ("mine", "")


def test_what_only_ours_has(tmp_path, caplog):
    ours = cppgen.onnxruntime
    options = ours.SessionOptions()
    options.add_session_config_entry("cppgen.ISA", "scalar")
    with caplog.at_level(logging.INFO, logger="cppgen"):
        s = ours.InferenceSession(models.relu().SerializeToString(), options, providers=["CUDAExecutionProvider"])
    assert any("CUDAExecutionProvider is not available" in record.message for record in caplog.records)
    s.run(None, {"x": np.ones((1, 4), np.float32)})
    package = cppgen.compile(models.relu(), output=tmp_path / "p")
    of_package = ours.InferenceSession(package.path)
    assert of_package.get_inputs()[0] == ours.NodeArg("x", "tensor(float)", ["N", 4])
    with pytest.raises(AttributeError, match="cppgen.onnxruntime has no 'SparseTensor'"):
        _ = ours.SparseTensor
    with pytest.raises(AttributeError, match="InferenceSession has no 'set_tuning_results'"):
        s.set_tuning_results([])
    with pytest.raises(Exception, match="cppgen has only cpu"):
        ours.OrtValue.ortvalue_from_numpy(np.ones(2), "cuda", 0)
    with pytest.raises(Exception, match="descriptions of custom operators"):
        options.register_custom_ops_library("lib.so")
