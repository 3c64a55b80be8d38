"""The C++ compiler of kernels: that of the system, or clang of the package ziglang."""
from __future__ import annotations

import importlib.util
import logging
import os
import shlex
import shutil
import sys
from collections.abc import Mapping

_VARIABLES = ("CPPGEN_CXX", "CXX", "AIT_NVCC_CCBIN")
ADVICE = "; or install clang from PyPI: pip install 'cppgen[compiler]'"  #: what else helps if there is none


def setting(values: Mapping[str, str]) -> str | None:
    """The value of the setting CXX, where neither `values` nor the environment has one and there is no g++ in PATH: the
    first of the compilers that are there instead; None: cppgen's own choice, with its message if there is none."""
    if "CXX" in values or any(os.environ.get(name) for name in _VARIABLES) or shutil.which("g++"):
        return None
    if shutil.which("clang++"):
        return "clang++"
    return _zig()


def _zig() -> str | None:
    from importlib.metadata import version as version_of

    found = importlib.util.find_spec("ziglang")
    if not found or not found.origin:
        return None
    zig = os.path.join(os.path.dirname(found.origin), "zig")
    version = version_of("ziglang")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_zig_cxx.py")
    command = [sys.executable, "-IS", script, zig, version]
    _prepare(command, version)
    return shlex.join(command)


def _prepare(command: list[str], version: str) -> None:
    """The first program that zig links makes it build the C library, which may take longer than a kernel is given."""
    cache = os.environ.get("ZIG_GLOBAL_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "zig")
    mark = os.path.join(cache, f"cppgen-{version}")
    if os.path.exists(mark):
        return
    import subprocess
    import tempfile

    logging.getLogger("cppgen").info("preparing the compiler of ziglang, once")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "empty.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main() {}\n")
        subprocess.run([*command, "-O1", "-march=x86-64", "-o", os.path.join(folder, "empty"), source, "-nodefaultlibs", "-lc"],
                       check=False, capture_output=True)
    try:
        os.makedirs(cache, exist_ok=True)
        with open(mark, "w", encoding="utf-8"):
            pass
    except OSError:
        pass  # then it is tried again next time
