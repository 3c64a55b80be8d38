"""The examples of the documents run as they are, one after another."""
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import cppgen
import cppgen.onnxruntime
import models

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")


def examples(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)


@pytest.mark.parametrize("page, least", [("docs/python.md", 5), ("README.md", 2)])
def test_examples(page, least, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.onnx").write_bytes(models.relu().SerializeToString())
    (tmp_path / "decoder.onnx").write_bytes(models.attention().SerializeToString())
    found = examples(page)
    assert len(found) >= least
    names = {"x": np.ones((2, 4), np.float32), "prompt": np.ones((1, 3, 4), np.float32), "token": np.ones((1, 1, 4), np.float32)}
    for code in found:
        exec(compile(code, page, "exec"), names)  # pylint: disable=exec-used
        assert isinstance(names["session"], (cppgen.Session, cppgen.onnxruntime.InferenceSession))
    np.testing.assert_array_equal(names["y"], names["x"])
    for comment in re.findall(r"^print\(session\) +# (.*)$", "".join(found), re.M):
        assert comment in capsys.readouterr().out


def test_commands_of_the_first_screen(tmp_path):
    (tmp_path / "model.onnx").write_bytes(models.relu().SerializeToString())
    np.save(tmp_path / "x.npy", np.ones((2, 4), np.float32))
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        commands = re.findall(r"^    cppgen (.*)$", file.read().split("Where to use it")[0], re.M)
    assert len(commands) == 3
    for command in commands:
        subprocess.run([sys.executable, "-m", "cppgen", *shlex.split(command, comments=True)], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "results" / "out_0.npy"), np.ones((2, 4)))
    assert cppgen.Session(tmp_path / "model.package")(np.ones((1, 4), np.float32)).tolist() == [[1] * 4]


def test_every_public_name_has_documentation():
    import cppgen.backend
    import cppgen.onnxruntime

    assert cppgen.__doc__ and cppgen.onnxruntime.__doc__ and cppgen.backend.__doc__
    for name in cppgen.__all__:
        value = getattr(cppgen, name)
        assert value.__doc__, name
        for member in vars(value) if isinstance(value, type) else ():
            if not member.startswith("_") and (callable(getattr(value, member)) or isinstance(vars(value)[member], property)):
                assert getattr(value, member).__doc__, (name, member)
