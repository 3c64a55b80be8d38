"""Options as users give them, as the C API takes them."""
from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from . import _cppgen, _compilers, _logging
from ._errors import UserError

Model = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Any]  # Any: an onnx.ModelProto
Dims = Union[Mapping[str, Union[int, str]], Iterable[str], None]
Sizes = Union[Mapping[str, int], str, Iterable[Union[Mapping[str, int], str]], None]
States = Union[Mapping[str, Union[str, tuple[str, int]]], str, Iterable[str], None]
Settings = Union[Mapping[str, Any], None]
CustomOps = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]], None]
Progress = Union[Callable[[int, int], Any], bool, None]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return ",".join(_text(item) for item in value)
    return str(value)


def _equations(values: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={_text(value)}" for name, value in values.items())


def _many(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return (value,) if isinstance(value, (str, os.PathLike, Mapping)) else tuple(value)


def setting_values(settings: Settings, isa: str | Sequence[str] | None = None) -> dict[str, str]:
    """Settings by their names without the prefix CPPGEN_, as text; None stands for what is not set."""
    values = {name.upper().removeprefix("CPPGEN_"): _text(value) for name, value in (settings or {}).items() if value is not None}
    if isa is not None:
        values["ISA"] = _text(isa)
    level = _logging.level_setting()
    if level is not None and "CPPGEN_LOGLEVEL" not in os.environ:
        values.setdefault("LOGLEVEL", level)
    return values


@functools.lru_cache(maxsize=1)
def _settings_of_runs() -> frozenset[str]:
    """The names of the settings that packages take when they are loaded."""
    return frozenset(it["name"] for it in json.loads(_cppgen.Request().config())["settings"] if it["used_by_runs"])


def settings_of_run(values: Mapping[str, str]) -> dict[str, str]:
    """Of these settings those that a run takes."""
    return {name: value for name, value in values.items() if name in _settings_of_runs()}


def run_options(values: Mapping[str, str]) -> tuple[str | None, dict[str, int | str]]:
    """Settings of a run as the extension module takes them: in lines, and those that are members of a struct."""
    kinds = dict(_cppgen.option_members)
    members = {name: _member(name, kinds[name], value) for name, value in values.items() if name in kinds}
    for name, value in values.items():
        if "\n" in value:
            raise UserError(f"the setting {name} contains the end of a line")
    return "\n".join(f"{n}={v}" for n, v in values.items() if n not in kinds) or None, members


def _member(name: str, kind: type, value: str) -> int | str:
    try:
        return kind(value)
    except ValueError:
        raise UserError(f"the setting {name} is {value!r}, which is no number") from None


def custom_op_paths(custom_ops: CustomOps) -> list[str]:
    return [os.fsdecode(path) for path in _many(custom_ops)]


def dim_texts(dims: Dims) -> Sequence[str]:
    return [f"{name}={value}" for name, value in dims.items()] if isinstance(dims, Mapping) else _many(dims)


def size_texts(sizes: Sizes) -> Sequence[str]:
    """One for each version."""
    return [_equations(version) if isinstance(version, Mapping) else version for version in _many(sizes)]


def state_texts(states: States) -> Sequence[str]:
    """{"present": "past"}, {"present": ("past", 4096)} or "present=past:4096"."""
    if not isinstance(states, Mapping):
        return _many(states)
    pairs = {name: past if isinstance(past, tuple) else (past, 2048) for name, past in states.items()}
    return [f"{name}={past}:{capacity}" for name, (past, capacity) in pairs.items()]


def model_bytes(model: Model) -> bytes | bytearray | memoryview:
    """The bytes of a model in memory."""
    if isinstance(model, (bytes, bytearray, memoryview)):
        return model
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(model).__name__}")


def _set_model(request: _cppgen.Request, model: Model) -> None:
    if isinstance(model, (str, os.PathLike)):
        request.set_model(model)
    else:
        request.set_model_bytes(model_bytes(model), None, "")


def request_for(model: Model, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
                settings: Settings = None, custom_ops: CustomOps = None, states: States = None) -> _cppgen.Request:
    request = _cppgen.Request()
    _set_model(request, model)
    values = setting_values(settings, isa)
    compiler = _compilers.setting(values)
    if compiler is not None:
        values["CXX"] = compiler
    for name, value in values.items():
        request.set(name, value)
    for dim in dim_texts(dims):
        request.add_dim(dim)
    for version in size_texts(sizes):
        request.add_sizes(version)
    for state in state_texts(states):
        request.add_state(state)
    for path in custom_op_paths(custom_ops):
        request.add_custom_operators(path)
    return request
