"""Another compiler or runtime, from a Python environment, as one process of bench_models.

    peer.py NAME             prints the version of what NAME needs, or fails
    peer.py NAME TASK.json   performs the task (task.h)

Names: onnxruntime, OpenVINO, TorchInductor. All get the number of threads, run one operator after the other, compute in
float32 and leave results in memory that they or the caller own, without another copy.
"""
import importlib.metadata
import json
import os
import sys
import time

import numpy as np

NEEDS = {"onnxruntime": ("onnxruntime",), "OpenVINO": ("openvino",), "TorchInductor": ("torch", "onnx2torch", "onnxruntime")}
LEAST_WARM_UP_RUNS, WARM_UP_SECONDS = 2, 0.15


def onnxruntime(task, inputs):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = task["threads"], 1
    session = ort.InferenceSession(task["model"], options, providers=["CPUExecutionProvider"])
    named = dict(zip((it.name for it in session.get_inputs()), inputs))
    outputs = session.run(None, named)
    binding = session.io_binding()
    for name, value in named.items():
        binding.bind_cpu_input(name, value)
    for it, value in zip(session.get_outputs(), outputs):
        binding.bind_ortvalue_output(it.name, ort.OrtValue.ortvalue_from_numpy(value))
    return lambda: session.run_with_iobinding(binding), lambda: binding.copy_outputs_to_cpu()


def openvino(task, inputs):
    import openvino as ov

    core = ov.Core()
    properties = {"INFERENCE_NUM_THREADS": task["threads"], "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
                  "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(task["model"]), "CPU", properties)
    request = compiled.create_infer_request()
    for number, value in enumerate(inputs):
        request.set_input_tensor(number, ov.Tensor(value, shared_memory=True))
    return request.infer, lambda: [request.get_output_tensor(it).data for it in range(len(compiled.outputs))]


def inductor(task, inputs):
    import torch
    import torch._inductor.config

    import torch_model

    torch.set_num_threads(task["threads"])
    torch._inductor.config.freezing = True  # weights are constants, as for the others
    model = torch.compile(torch_model.load(task["model"]))
    tensors = [torch.from_numpy(value) for value in inputs]
    results = []

    def run():
        with torch.inference_mode():
            results[:] = [model(*tensors)]

    def outputs():
        found = results[0]
        return [it.numpy() for it in (found if isinstance(found, (list, tuple)) else [found])]

    run()
    return run, outputs


PREPARE = {"onnxruntime": onnxruntime, "OpenVINO": openvino, "TorchInductor": inductor}


def seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def perform(name, task):
    inputs = [np.load(path) for path in task["inputs"]]
    start = time.perf_counter()
    run, outputs = PREPARE[name](task, inputs)
    result = {"implementation": versions(name), "load_s": time.perf_counter() - start, "copies": []}
    spent, runs = 0.0, 0
    while runs < LEAST_WARM_UP_RUNS or spent < WARM_UP_SECONDS:
        spent, runs = spent + seconds(run), runs + 1
    result["seconds"] = [seconds(run) for _ in range(task["runs"])]
    if task["outputs"]:
        os.makedirs(task["outputs"], exist_ok=True)
        for number, value in enumerate(outputs()):
            np.save(os.path.join(task["outputs"], f"{number}.npy"), value)
    with open(task["result"], "w", encoding="utf-8") as file:
        json.dump(result, file)


def versions(name):
    return ", ".join(f"{it} {importlib.metadata.version(it)}" for it in NEEDS[name])


def main():
    name, *files = sys.argv[1:]
    if not files:
        print(versions(name))
        return 0
    with open(files[0], encoding="utf-8") as file:
        task = json.load(file)
    try:
        perform(name, task)
    except Exception as error:  # pylint: disable=broad-except  # whatever a peer cannot do is its result
        text = str(error).strip().splitlines() or [""]
        print(f"{type(error).__name__}: {text[0]}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
