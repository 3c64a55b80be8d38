"""PyTorch finds the backend by its name where the package is installed, without an import of cppgen."""
import os
import subprocess
import sys
import tomllib

import cppgen

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PROGRAM = """
import sys
import torch

assert "cppgen" in torch._dynamo.list_backends(), torch._dynamo.list_backends()
assert "cppgen" not in sys.modules
compiled = torch.compile(torch.nn.Linear(4, 2).eval(), backend="cppgen", options={"strict": True})
with torch.no_grad():
    assert compiled(torch.ones(3, 4)).shape == (3, 2)
"""


def test_the_backend_has_a_name(tmp_path):
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        entries = tomllib.load(file)["project"]["entry-points"]["torch_dynamo_backends"]
    info = tmp_path / "cppgen-0.dist-info"  # what an installation writes
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cppgen\nVersion: 0\n")
    lines = [f"{name} = {value}" for name, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[torch_dynamo_backends]", *lines]) + "\n")
    package = os.path.dirname(os.path.dirname(cppgen.__file__))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), package])}
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
