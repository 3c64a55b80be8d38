"""Tuning, which the program cppgen does: it measures packages in processes of its own."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from . import _compilers, _cppgen, _options
from ._errors import UserError
from ._options import CustomOps, Dims, Model, Settings, Sizes
from ._program import program
from ._reports import Report

_ASKING = ("MAX_AUTOTUNE", "MAX_AUTOTUNE_GEMM", "MAX_AUTOTUNE_POINTWISE")


class Tuning(Report):
    """What a tuning found: `cppgen tune --json`."""


def tune(model: Model, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
         settings: Settings = None, custom_ops: CustomOps = None, threads: int | None = None,
         seconds: float | None = None) -> Tuning:
    """Measures other plans for the kernels of a model on this machine, which takes minutes, and stores what is faster in
    the user's cache, where compilations find it. Close other programs meanwhile.

    model, dims, isa, settings, custom_ops: as for `compile`; every named dimension needs a size.
    sizes: those of versions of a package, which are tuned one after the other.
    threads: that runs will use.
    seconds: after which it ends with the best of what was measured; the same call continues.

    UserError is the program's message."""
    values = _options.setting_values(settings, isa)
    paths = _options.custom_op_paths(custom_ops)
    if paths:
        values["CUSTOM_OPS"] = ":".join(paths)
    if threads is not None:
        values["THREADS"] = str(threads)
    compiler = _compilers.setting(values)
    if compiler is not None:
        values["CXX"] = compiler
    options = [f"--set={name}={value}" for name, value in values.items()]
    options += [f"--dim={dim}" for dim in _options.dim_texts(dims)] + [f"--sizes={it}" for it in _options.size_texts(sizes)]
    if seconds is not None:
        options.append(f"--seconds={seconds}")
    with ExitStack() as stack:
        command = [program(), "tune", _path_of(model, stack), "--json", *options]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise UserError(f"tuning failed: {ended.stderr.strip()}")
    return Tuning(ended.stdout)


def _path_of(model: Model, stack: ExitStack) -> str:
    """The file of a model; of one in memory, a temporary one that lives as long as the stack."""
    if isinstance(model, (str, os.PathLike)):
        return os.fsdecode(model)
    path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory(prefix="cppgen_tuning_")), "model.onnx")
    with open(path, "wb") as file:
        file.write(_options.model_bytes(model))
    return path


def _is_asked_for(values: dict[str, str]) -> bool:
    """Whether these settings or the environment, also by another name of the setting, ask for a tuning."""
    if not any("AUTOTUNE" in name for name in (*values, *os.environ)):
        return False  # the usual case, without looking at all settings
    request = _cppgen.Request()
    for name, value in values.items():
        request.set(name, value)
    return any(it["value"] == "1" for it in json.loads(request.config())["settings"] if it["name"] in _ASKING)


def tuned_settings(model: Model, *, isa: str | Sequence[str] | None, settings: Settings, **options: Any) -> Settings:
    """Tunes the model first if MAX_AUTOTUNE asks for it; the settings for its compilation, which tunes nothing itself."""
    if not _is_asked_for(_options.setting_values(settings, isa)):
        return settings
    tune(model, isa=isa, settings=settings, **options)
    kept = {name: value for name, value in (settings or {}).items() if name.upper().removeprefix("CPPGEN_") not in _ASKING}
    return {**kept, **{name: 0 for name in _ASKING}}
