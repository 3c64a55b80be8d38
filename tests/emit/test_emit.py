"""Models as code (cppgen compile --emit): they compute the same bits as packages do, and need nothing of the machine."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

import models

CPPGEN = os.environ["CPPGEN_PROGRAM"]
ISAS = [row["name"] for row in json.loads(subprocess.check_output([CPPGEN, "isa", "--json"]))["isas"] if row["supported"]]


def run(*command, status=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == status, (command, done.stdout, done.stderr)
    return done.stdout + done.stderr


def emit(path, kind, output, *options, status=0):
    return run(CPPGEN, "compile", path, "--emit", kind, "-o", output, *options, status=status)


def reference(path, folder, *options, inputs=()):
    """Inputs and outputs of a run of the compiled model, by name."""
    given = [f"--input={name}={file}" for name, file in inputs]
    run(CPPGEN, "run", path, "--output", folder, *given, *options)
    io = json.loads((folder / "io.json").read_text())
    return ({row["name"]: folder / row["file"] for row in io["inputs"]},
            {row["name"]: np.load(folder / row["file"]) for row in io["outputs"]})


def run_program(program, inputs, output, *options):
    output.mkdir(exist_ok=True)
    text = run(program, *[f for name, file in inputs.items() for f in ("--input", f"{name}={file}")], "--output", output, *options)
    return text, {path.stem: np.load(path) for path in output.iterdir()}


def compare(path, tmp_path, *options, sizes=(), threads=("1", "3")):
    """The program's outputs are those of the compiled model, bit for bit, for any number of threads."""
    emit(path, "executable", tmp_path / "program", *options)
    inputs, expected = reference(path, tmp_path / "reference", *options, *sizes)
    for count in threads:
        _, outputs = run_program(tmp_path / "program", inputs, tmp_path / "outputs", "--threads", count)
        assert set(outputs) == set(expected)
        for name, array in expected.items():
            np.testing.assert_array_equal(outputs[name], array, err_msg=name)


def test_networks(tmp_path):
    compare(models.save(models.convolutions(), tmp_path / "net.onnx"), tmp_path)
    assert "no dynamic section" in run("readelf", "-d", tmp_path / "program").lower().replace("there is ", "")


@pytest.mark.parametrize("make", [lambda: models.convolutions(64), models.convolutions_along_directions])
def test_winograd(tmp_path, make):
    path = models.save(make(), tmp_path / "net.onnx")
    compare(path, tmp_path, "--set", "MAX_AUTOTUNE_CONV_BACKENDS=WINOGRAD_2X2,CPP")


@pytest.mark.parametrize("make", [models.recurrence, models.attention])
def test_sizes_of_the_run(tmp_path, make):
    size = "T" if make is models.recurrence else "L"
    for n in (1, 9):
        compare(models.save(make(), tmp_path / "m.onnx"), tmp_path, sizes=["--dim", f"{size}={n}"])
        shutil.rmtree(tmp_path / "reference")


@pytest.mark.parametrize("make", [models.bytes_product, models.four_bits, models.half_precision, models.doubles])
def test_element_types(tmp_path, make):
    compare(models.save(make(), tmp_path / "m.onnx"), tmp_path)


def registers(file):
    code = run("objdump", "-d", "--no-show-raw-insn", file)
    return {kind for kind in ("ymm", "zmm") if re.search(rf"%{kind}\d", code)}


@pytest.mark.parametrize("isa", [isa for isa in ("scalar", "avx2") if isa in ISAS])
def test_instruction_sets(tmp_path, isa):
    """No instruction is above the instruction set that is asked for."""
    path = models.save(models.convolutions(), tmp_path / "net.onnx")
    emit(path, "static", tmp_path / "lib", "--isa", isa)
    assert registers(tmp_path / "lib" / "libnet.a") == ({"ymm"} if isa == "avx2" else set())
    compare(path, tmp_path, "--isa", isa, threads=["2"])


@pytest.mark.parametrize("isa", ISAS)
def test_tiles_of_bytes(tmp_path, isa):
    """Each instruction set has tiles of its own, or those of the one that it extends."""
    compare(models.save(models.bytes_product(), tmp_path / "m.onnx"), tmp_path, "--isa", isa, threads=["2"])


def test_symbols(tmp_path):
    """A shared library that contains a model exports the functions of its header, and nothing else."""
    path = models.save(models.top_k(), tmp_path / "best.onnx")
    emit(path, "static", tmp_path / "lib")
    run("gcc", "-shared", "-Wl,--whole-archive", tmp_path / "lib/libbest.a", "-Wl,--no-whole-archive", "-lm", "-o", tmp_path / "best.so")
    exported = re.findall(r" [A-Z] (\S+)$", run("nm", "-D", "--defined-only", tmp_path / "best.so"), re.M)
    assert sorted(exported) == ["best_create", "best_destroy", "best_message", "best_run"]


MAIN = r"""
#include <math.h>
#include <stdio.h>
#include "net.h"
#include "layers.h"
int main(void) {
  static float x[net_x_elements], y[net_y_elements], z[net_y_elements], gram[9 * 9], sum[1];
  net_model *one, *two;
  layers_model *layers;
  int i, status = net_create(&one, 1);
  if (!status) status = net_create(&two, 3);
  if (!status) status = layers_create(&layers, 2);
  if (status) return puts(net_message(status)), 1;
  for (i = 0; i < net_x_elements; i++) x[i] = (float)(i % 17) - 8;
  {
    net_inputs inputs = {x};
    net_outputs first = {y}, second = {z};
    if (net_run(one, &inputs, &first) || net_run(two, &inputs, &second)) return 2;
    for (i = 0; i < net_y_elements; i++)
      if (y[i] != z[i]) return 3;
  }
  for (i = 0; i < 4; i++) {
    static const int64_t sizes[] = {9, 1, 0, 9};
    layers_sizes size = {sizes[i]};
    layers_inputs inputs = {x};
    layers_outputs outputs = {gram, sum};
    int64_t dims[2];
    if (layers_dims_of_y(&size, dims) || dims[0] != sizes[i] || dims[1] != sizes[i]) return 4;
    if ((status = layers_run(layers, &size, &inputs, &outputs))) return puts(layers_message(status)), 5;
    printf("%d %.9g\n", (int)sizes[i], sum[0]);
  }
  {
    layers_sizes size = {-1};
    layers_inputs inputs = {x};
    layers_outputs outputs = {gram, sum};
    puts(layers_message(layers_run(layers, &size, &inputs, &outputs)));
    size.N = INT64_MAX / 2;
    puts(layers_message(layers_run(layers, &size, &inputs, &outputs)));
  }
  net_destroy(one), net_destroy(two), layers_destroy(layers), net_destroy(0);
  return 0;
}
"""


def test_two_models_in_a_program_of_c(tmp_path):
    """For different instruction sets, with kernels of equal names, from C, linked dynamically and fully static."""
    emit(models.save(models.convolutions(), tmp_path / "net.onnx"), "static", tmp_path / "net", "--isa", ISAS[min(1, len(ISAS) - 1)])
    emit(models.save(models.layers(), tmp_path / "layers.onnx"), "static", tmp_path / "layers", "--isa", "scalar")
    (tmp_path / "main.c").write_text(MAIN)
    command = ["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", tmp_path / "net", "-I", tmp_path / "layers",
               tmp_path / "main.c", tmp_path / "net/libnet.a", tmp_path / "layers/liblayers.a", "-lm", "-pthread"]
    run(*command, "-o", tmp_path / "dynamic")
    run(*command, "-static", "-o", tmp_path / "static")
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", tmp_path / "dynamic")))
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
    text = run(tmp_path / "dynamic")
    assert text == run(tmp_path / "static")
    lines = text.splitlines()
    assert lines[0] == lines[3] and lines[2] == "0 0"
    assert lines[4:] == ["a size is negative, or the sizes are too large"] * 2


def test_checks_of_a_run(tmp_path):
    path = models.save(models.lookup(), tmp_path / "rows.onnx")
    emit(path, "executable", tmp_path / "rows")
    for indices, status in (([4, 0, -1], 0), ([], 0), ([5], 2)):
        np.save(tmp_path / "i.npy", np.array(indices, np.int64))
        text = run(tmp_path / "rows", "--input", f"i={tmp_path / 'i.npy'}", status=status)
        assert ("rows" in text and "index" in text) == (status == 2)


def test_library_functions(tmp_path):
    """Of the runtime: they are a part of the program, which needs nothing of the library of C++."""
    compare(models.save(models.top_k(), tmp_path / "best.onnx"), tmp_path)
    path = models.save(models.scatter(), tmp_path / "scatter.onnx")
    emit(path, "static", tmp_path / "lib")
    emit(path, "executable", tmp_path / "scatter")
    data = {"x": np.arange(12, dtype=np.float32).reshape(4, 3), "u": np.ones((2, 3), np.float32)}
    for row, status in ((3, 0), (4, 2), (-4, 0), (-5, 2)):
        for name, array in {**data, "i": np.array([[1], [row]])}.items():
            np.save(tmp_path / f"{name}.npy", array)
        inputs = [word for name in "xiu" for word in ("--input", f"{name}={tmp_path / name}.npy")]
        text = run(tmp_path / "scatter", *inputs, "--output", tmp_path, status=status)
        assert ("node 'scatter'" in text) == (status == 2)
        if status == 0:
            data["x"][[1, row]] = 1
            np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.cumsum(data["x"], axis=0))
            data["x"] = np.arange(12, dtype=np.float32).reshape(4, 3)
    (tmp_path / "main.c").write_text('''#include "scatter.h"
int main(void) {
  static const float x[6] = {0}, u[6] = {1}; static float y[6];
  static const int64_t inside[2] = {0, 1}, outside[2] = {0, 7};
  scatter_model* m;
  scatter_sizes sizes = {2};
  scatter_inputs good = {x, inside, u}, bad = {x, outside, u};
  scatter_outputs outputs = {y};
  int status = scatter_create(&m, 2);
  if (!status) status = scatter_run(m, &sizes, &good, &outputs);
  if (!status && y[3] != 1) status = 100;
  if (!status && !scatter_run(m, &sizes, &bad, &outputs)) status = 101;
  if (!status) status = scatter_run(m, &sizes, &good, &outputs);
  scatter_destroy(m);
  return status;
}
''')
    command = ["gcc", "-std=c99", "-I", tmp_path / "lib", tmp_path / "main.c", tmp_path / "lib/libscatter.a", "-lm", "-pthread"]
    for kind in ([], ["-static"]):
        run(*command, *kind, "-o", tmp_path / "main")
        run(tmp_path / "main")
    run(*command, "-o", tmp_path / "main")
    assert set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", tmp_path / "main"))) <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}


def test_the_example_of_the_page(tmp_path):
    """docs/linking.md: ten lines of C."""
    page = (pathlib.Path(__file__).parents[2] / "docs" / "linking.md").read_text()
    code = re.search(r"^```\n(.*?)^```$", page, re.M | re.S)[1]
    proto = models.convolutions()
    for names, old, new in ((proto.graph.input, "x", "image"), (proto.graph.output, "y", "scores")):
        names[0].name = new
        for node in proto.graph.node:
            for list_ in (node.input, node.output):
                list_[:] = [new if name == old else name for name in list_]
    emit(models.save(proto, tmp_path / "resnet50.onnx"), "static", tmp_path / "resnet50")
    (tmp_path / "main.c").write_text(code)
    command = re.search(r"^    (gcc .*)$", page, re.M)[1]
    run(*command.split(), "-Wall", "-Wextra", "-Werror", cwd=tmp_path)
    run(tmp_path / "a.out")


def test_programs_refuse_wrong_inputs(tmp_path):
    program = tmp_path / "net"
    emit(models.save(models.convolutions(), tmp_path / "net.onnx"), "executable", program)
    assert "x  float32[1, 3, 32, 32]" in run(program, "--help")
    x = np.zeros((1, 3, 32, 32), np.float32)
    wrong = {"type": x.astype(np.float64), "number of dimensions": x[0], "shape": np.zeros((1, 3, 31, 32), np.float32),
             "columns": np.asfortranarray(x + np.arange(32, dtype=np.float32)), "another type": x.astype(">f4")}
    for word, array in wrong.items():
        np.save(tmp_path / "x.npy", array)
        assert word in run(program, "--input", f"x={tmp_path / 'x.npy'}", status=2)
    np.save(tmp_path / "x.npy", x)
    file = (tmp_path / "x.npy").read_bytes()
    for name, content in (("short", file[:200]), ("start", b"\x93NUMPX" + file[6:]), ("empty", b"")):
        (tmp_path / "x.npy").write_bytes(content)
        assert "x.npy" in run(program, "--input", f"x={tmp_path / 'x.npy'}", status=2), name
    assert "'x': it is missing" in run(program, status=2)
    assert "not a number from 1 to 1024" in run(program, "--threads", "0", status=2)
    assert "--nothing" in run(program, "--nothing", "1", status=2)


def test_cmake_project(tmp_path):
    path = models.save(models.convolutions(), tmp_path / "net.onnx")
    emit(path, "cmake", tmp_path / "use" / "net")
    (tmp_path / "use" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(use LANGUAGES C CXX)\nadd_subdirectory(net)\n"
        "add_executable(main main.c)\ntarget_link_libraries(main net)\n")
    (tmp_path / "use" / "main.c").write_text('#include "net.h"\nint main(void) { net_model* m; int s = net_create(&m, 1); '
                                             "net_destroy(m); return s; }\n")
    run("cmake", "-S", tmp_path / "use", "-B", tmp_path / "build", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build", "-j2")
    run(tmp_path / "build" / "main")
    inputs, expected = reference(path, tmp_path / "reference")
    _, outputs = run_program(tmp_path / "build" / "net" / "net_run", inputs, tmp_path / "outputs")
    np.testing.assert_array_equal(outputs["y"], expected["y"])


def test_names(tmp_path):
    """Names of a model may be words of C, ends of comments, and nothing that C knows."""
    from onnx import helper
    names = ["int", "a*/b", "q\\", "\u00e9", "x-1", "x.1", "what??/"]
    nodes = [helper.make_node("Relu", [n], ["out " + n], n + "\\") for n in names]
    proto = models.model(nodes, [models.value(n, [2, "batch"]) for n in names], [models.value("out " + n, None) for n in names])
    path = models.save(proto, tmp_path / "3 odd-names.onnx")
    emit(path, "static", tmp_path / "lib")
    assert sorted(p.name for p in (tmp_path / "lib").iterdir()) == ["cppgen_model.txt", "libt3_odd_names.a", "t3_odd_names.h"]
    (tmp_path / "main.c").write_text('#include "t3_odd_names.h"\nint main(void) { return t3_odd_names_message(0) == 0; }\n')
    run("gcc", "-std=c99", "-Wall", "-Werror", "-I", tmp_path / "lib", tmp_path / "main.c", tmp_path / "lib/libt3_odd_names.a",
        "-lm", "-o", tmp_path / "main")
    run("g++", "-x", "c++", "-Wall", "-Werror", "-I", tmp_path / "lib", tmp_path / "main.c", "-fsyntax-only")
    run(tmp_path / "main")
    emit(path, "executable", tmp_path / "program", "--name", "odd")
    inputs, expected = reference(path, tmp_path / "reference", "--dim", "batch=3")
    _, outputs = run_program(tmp_path / "program", inputs, tmp_path / "outputs")
    assert len(outputs) == len(names) and all(array.shape == (2, 3) for array in outputs.values())


def test_equal_models_give_equal_files(tmp_path):
    path = models.save(models.layers(), tmp_path / "layers.onnx")
    for name in ("a", "b"):
        emit(path, "static", tmp_path / name)
    for file in ("liblayers.a", "layers.h"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_objects_come_from_the_cache(tmp_path):
    """A model that is emitted again compiles nothing but its weights, whose object is not cached."""
    path = models.save(models.convolutions(), tmp_path / "net.onnx")
    compiler, log = tmp_path / "compiler", tmp_path / "log"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    environment = {**os.environ, "CPPGEN_CXX": str(compiler), "CPPGEN_CACHE_DIR": str(tmp_path / "cache")}

    def emit_counted(kind, output, *options):
        log.write_text("")
        text = run(CPPGEN, "compile", path, "--emit", kind, "-o", tmp_path / output, "--json", *options, env=environment)
        report, _ = json.JSONDecoder().raw_decode(text)  # what follows was written to stderr
        return report["units"], report["cached_units"], re.findall(r"-o (\S+)\.o", log.read_text())

    units, cached, compiled = emit_counted("static", "first")
    assert cached == 0 and len(compiled) >= units > 5
    assert emit_counted("static", "second") == (units, units - 1, ["weights.cpp"])
    assert (tmp_path / "first" / "libnet.a").read_bytes() == (tmp_path / "second" / "libnet.a").read_bytes()
    of_program, cached, compiled = emit_counted("executable", "program")
    assert cached == units - 1 and len(compiled) == of_program - cached
    assert emit_counted("executable", "again")[1:] == (of_program - 1, ["weights.cpp"])
    assert (tmp_path / "program").read_bytes() == (tmp_path / "again").read_bytes()
    for options in (("--name", "other"), ("--set", "RECOMPILE=1"), ("--set", "KERNEL_CACHE=0")):
        assert emit_counted("static", options[-1], *options)[1] == 0
    models.save(models.convolutions(64), path)  # other functions, and the same sources of the runtime
    _, cached, compiled = emit_counted("static", "changed")
    assert cached > 0 and "net.cpp" in compiled


def test_refusals(tmp_path):
    net = models.save(models.layers(), tmp_path / "layers.onnx")
    assert "'the_loop'" in emit(models.save(models.loop(), tmp_path / "loop.onnx"), "static", tmp_path / "o", status=2)
    assert "allowed are static, executable, cmake" in emit(net, "shared", tmp_path / "o", status=2)
    assert "remove --sizes" in emit(net, "static", tmp_path / "o", "--sizes", "N=2", status=2)
    assert "one instruction set" in emit(net, "static", tmp_path / "o", "--isa", "avx2,scalar", status=2)
    assert "not an identifier" in emit(net, "static", tmp_path / "o", "--name", "a-b", status=2)
    missing = run(CPPGEN, "compile", net, "--emit", "static", "-o", tmp_path / "o", status=2,
                  env={**os.environ, "PATH": str(tmp_path), "CPPGEN_CXX": shutil.which("g++")})
    assert "needs the program 'ar'" in missing
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    for kind in ("static", "cmake", "executable"):
        assert "exists and is not" in emit(net, kind, tmp_path / "full", status=2)
    assert (tmp_path / "full" / "file").read_text() == "mine"
    assert not (tmp_path / "o").exists()


def test_an_interrupt_leaves_nothing(tmp_path):
    path = models.save(models.convolutions(), tmp_path / "net.onnx")
    (tmp_path / "out").mkdir()
    process = subprocess.Popen([CPPGEN, "compile", str(path), "--emit", "static", "-o", str(tmp_path / "out" / "lib")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               # A shell starts programs in the background with the signal ignored.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    deadline = time.monotonic() + 60
    while not list((tmp_path / "out").glob("*/sources/*.cpp")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert list((tmp_path / "out").iterdir()) == []
