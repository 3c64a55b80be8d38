"""The services of examples/serving answer requests: over HTTP, or for Triton to a stand-in of its module."""
import concurrent.futures
import importlib.util
import json
import os
import shutil
import sys
import urllib.error
import urllib.request

import numpy as np
import pytest

import cppgen
from networks import layers
from processes import answers, free_ports, program, wait_until

EXAMPLES = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../examples/serving"))


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("serving") / "model.package")
    cppgen.compile(layers(4, 8, 3), output=folder)
    return folder


def rows(count, seed=0):
    return np.random.default_rng(seed).standard_normal((count, 4), np.float32)


def post(url, body):
    """The status and the JSON of an answer."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def status_of(url):
    """The status of an answer to a good request, or 0 without an answer."""
    try:
        return post(url, {"x": rows(1).tolist()})[0]
    except (OSError, ValueError):
        return 0


# ---- MLServer ----


@pytest.fixture
def mlserver(processes, package, tmp_path):
    """The address of MLServer with the files of the example."""
    pytest.importorskip("mlserver")
    folder = tmp_path / "mlserver"
    shutil.copytree(os.path.join(EXAMPLES, "mlserver"), folder)
    os.symlink(package, folder / "model.package")
    ports = free_ports(3)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps({**settings, "host": "127.0.0.1", "http_port": ports[0],
                                                      "grpc_port": ports[1], "metrics_port": ports[2]}))
    server = processes.start(program("mlserver"), "start", str(folder), cwd=folder)
    url = f"http://127.0.0.1:{ports[0]}"
    wait_until(lambda: answers(f"{url}/v2/models/network/ready"), server)
    return url


def infer_body(x, name="x", **others):
    data = {"name": name, "datatype": "FP32", "shape": list(x.shape), "data": x.ravel().tolist()}
    return {"id": "one", "inputs": [data], **others}


def test_mlserver_infers(mlserver, package):
    x = rows(5)
    status, answer = post(f"{mlserver}/v2/models/network/infer", infer_body(x, outputs=[{"name": "y"}]))
    assert (status, answer["id"], answer["model_name"]) == (200, "one", "network")
    (output,) = answer["outputs"]
    assert (output["name"], output["datatype"], output["shape"]) == ("y", "FP32", [5, 3])
    np.testing.assert_array_equal(np.array(output["data"], np.float32).reshape(5, 3), cppgen.Session(package)(x))


def test_mlserver_says_what_is_wrong(mlserver):
    url = f"{mlserver}/v2/models/network/infer"
    for body, text in ((infer_body(rows(2), "z"), "no input 'z'"), (infer_body(np.ones((2, 5), np.float32)), "x"),
                       (infer_body(rows(2), outputs=[{"name": "z"}]), "no output 'z'")):
        status, answer = post(url, body)
        assert status == 400 and text in answer["error"], answer
    assert post(url, infer_body(rows(2)))[0] == 200


def test_mlserver_tells_inputs_and_outputs(mlserver):
    with urllib.request.urlopen(f"{mlserver}/v2/models/network", timeout=60) as answer:
        found = json.load(answer)
    assert [(it["name"], it["datatype"], it["shape"]) for it in found["inputs"] + found["outputs"]] == \
        [("x", "FP32", [-1, 4]), ("y", "FP32", [-1, 3])]


# ---- Ray Serve ----


@pytest.fixture
def ray_serve(processes, ray_folder, package, tmp_path):
    """The address of Ray Serve with the example, on a Ray of its own."""
    pytest.importorskip("ray.serve")
    (port,) = free_ports(1)
    example = os.path.join(EXAMPLES, "ray_serve")
    with open(os.path.join(example, "network.yaml"), encoding="utf-8") as file:
        config = file.read().replace("8000", str(port)).replace("/srv/models/model.package", package)
    (tmp_path / "network.yaml").write_text(config)
    server = processes.start(program("serve"), "run", "--working-dir", example, "network.yaml", RAY_TMPDIR=ray_folder)
    url = f"http://127.0.0.1:{port}/"
    wait_until(lambda: status_of(url) == 200, server)
    return url


def test_ray_serve_answers_many_callers(ray_serve, package):
    wanted = cppgen.Session(package, threads=1)

    def call(seed):
        x = rows(1 + seed % 3, seed)
        if seed % 10 == 7:
            status, answer = post(ray_serve, {"x": [[1, 2, 3]]})
            assert status == 400 and "does not take the shape [1, 3]" in answer["error"]
        status, answer = post(ray_serve, {"x": x.tolist()})
        assert status == 200, answer
        np.testing.assert_array_equal(np.array(answer["y"], np.float32), wanted(x))

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(200)))
    assert post(ray_serve, {"z": 1})[0] == 400


# ---- Triton ----


@pytest.fixture
def triton_model(package, tmp_path, monkeypatch):
    """The class of model.py, initialized as Triton does it."""
    monkeypatch.syspath_prepend(os.path.join(os.path.dirname(__file__), "triton_stand_in"))
    folder = tmp_path / "network"
    shutil.copytree(os.path.join(EXAMPLES, "triton/models/network"), folder)
    os.symlink(package, folder / "1/model.package")
    spec = importlib.util.spec_from_file_location("model_of_triton", folder / "1/model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.TritonPythonModel()
    config = {"name": "network", "parameters": {"threads": {"string_value": "1"}}}
    model.initialize({"model_config": json.dumps(config), "model_repository": str(folder), "model_version": "1",
                      "model_name": "network", "model_instance_kind": "CPU", "model_instance_device_id": "0"})
    yield model, module.pb_utils
    sys.modules.pop("triton_python_backend_utils")


def test_triton_answers_each_request(triton_model, package):
    model, utils = triton_model

    def request(name, array, outputs=("y",)):
        return utils.InferenceRequest([utils.Tensor(name, array)], list(outputs))

    first, bad, unknown, last = model.execute([request("x", rows(2)), request("x", np.ones((1, 5), np.float32)),
                                               request("x", rows(1), ["z"]), request("x", rows(3))])
    for response, x in ((first, rows(2)), (last, rows(3))):
        assert not response.has_error()
        (y,) = response.output_tensors()
        assert y.name() == "y"
        np.testing.assert_array_equal(y.as_numpy(), cppgen.Session(package)(x))
    assert bad.has_error() and "x" in bad.error().message() and not bad.output_tensors()
    assert "no output 'z'" in unknown.error().message()
