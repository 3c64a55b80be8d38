import os
import subprocess
import sys

import numpy as np
import pytest

import cppgen

sys.path.insert(0, os.path.dirname(__file__))


@pytest.fixture
def loaded():
    """Compiles a model and loads it; sessions of equal models are made once."""
    return _session


_sessions = {}


def _session(model, **options):
    key = (model.SerializeToString(), repr(sorted(options.items())))
    if key not in _sessions:
        _sessions[key] = cppgen.Session(model, **options)
    return _sessions[key]


@pytest.fixture
def run_script():
    """Runs Python code in a process of its own: its output."""
    def run(code, environment=None, status=0):
        ended = subprocess.run([sys.executable, "-c", code], env={**os.environ, **(environment or {})}, text=True,
                               capture_output=True, timeout=300, check=False)
        assert ended.returncode == status, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    return run


@pytest.fixture
def x24():
    return np.arange(-4, 4, dtype=np.float32).reshape(2, 4)
