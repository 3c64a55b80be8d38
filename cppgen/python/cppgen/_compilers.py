"""The C++ compiler of kernels: that of the system, or clang of the package ziglang."""
from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Mapping

_VARIABLES = ("CPPGEN_CXX", "CXX", "AIT_NVCC_CCBIN")


def setting(values: Mapping[str, str]) -> str | None:
    """The value of the setting CXX, where neither `values` nor the environment has one and there is no g++ in PATH: the
    first of the compilers that are there instead; None: cppgen's own choice, with its message if there is none."""
    if "CXX" in values or any(os.environ.get(name) for name in _VARIABLES) or shutil.which("g++"):
        return None
    if shutil.which("clang++"):
        return "clang++"
    if importlib.util.find_spec("ziglang"):
        return f"{shlex.quote(sys.executable)} -m ziglang c++"
    return None
