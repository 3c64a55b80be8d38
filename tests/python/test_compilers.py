"""Which compiler compiles kernels."""
import importlib.util
import os
import sys

import numpy as np
import pytest

import cppgen
import cppgen._compilers
import models


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    """A machine without a compiler in PATH, and with a cache of its own."""
    for name in ("CXX", "CPPGEN_CXX", "AIT_NVCC_CCBIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "zig_cache"))
    return {"CACHE_DIR": str(tmp_path / "cache")}


def test_without_any_compiler_the_message_names_both_commands(no_compiler, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(cppgen.UserError) as error:
        cppgen.compile(models.relu(), settings=no_compiler)
    assert "apt-get install g++" in str(error.value) and "pip install 'cppgen[compiler]'" in str(error.value)


FAKE_ZIG = """#!/bin/sh
PATH=/usr/bin:/bin
echo "$@" >> "$0.log"
[ "$1" = cc ] || exit 1
shift
for word; do
  shift
  case $word in
    -march=x86_64*) set -- "$@" "-march=x86-64${word#-march=x86_64}" ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec g++ "$@"
"""


def test_ziglang_is_used_where_there_is_no_other(no_compiler, monkeypatch, tmp_path, x24):
    package = tmp_path / "site" / "ziglang"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "zig").write_text(FAKE_ZIG)
    (package / "zig").chmod(0o755)
    information = tmp_path / "site" / "ziglang-0.99.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: ziglang\nVersion: 0.99\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    session = cppgen.Session(models.relu(), settings=no_compiler)
    np.testing.assert_array_equal(session(x24), np.maximum(x24, 0))
    log = (package / "zig.log").read_text()
    assert "empty.cpp" in log.splitlines()[0] and "-march=x86_64" in log and "-march=x86-64" not in log
    assert (tmp_path / "zig_cache" / "cppgen-0.99").exists()


def test_other_compilers_come_first(monkeypatch, tmp_path):
    setting = cppgen._compilers.setting
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CXX", "CPPGEN_CXX", "AIT_NVCC_CCBIN"):
        monkeypatch.delenv(name, raising=False)
    assert setting({"CXX": "mine"}) is None
    for compiler, expected in (("clang++", "clang++"), ("g++", None)):
        (tmp_path / compiler).write_text("#!/bin/sh\n")
        (tmp_path / compiler).chmod(0o755)
        assert setting({}) == expected
    (tmp_path / "g++").unlink()
    monkeypatch.setenv("CXX", "mine")
    assert setting({}) is None


def test_the_real_ziglang(no_compiler, monkeypatch, x24):
    """Slow: zig builds its C library."""
    if not importlib.util.find_spec("ziglang") or not os.environ.get("TEST_ZIGLANG"):
        pytest.skip("set TEST_ZIGLANG=1 where the package ziglang is installed")
    monkeypatch.delenv("ZIG_GLOBAL_CACHE_DIR")
    np.testing.assert_array_equal(cppgen.Session(models.relu(), settings=no_compiler)(x24), np.maximum(x24, 0))
    assert sys.executable in cppgen._compilers.setting({})
