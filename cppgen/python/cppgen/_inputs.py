"""What the extension module calls for inputs that are no dense buffers of the right type."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _cppgen
from ._errors import UserError

_STORAGE = {
    "bfloat16": np.uint16, "float8_e4m3fn": np.uint8, "float8_e4m3fnuz": np.uint8, "float8_e5m2": np.uint8,
    "float8_e5m2fnuz": np.uint8, "float8_e8m0fnu": np.uint8, "float4_e2m1fn": np.uint8, "int4": np.int8,
    "uint4": np.uint8, "int2": np.int8, "uint2": np.uint8,
}  # yapf: disable

_UNUSED_BITS = {"float4_e2m1fn": 4, "int4": 4, "uint4": 4, "int2": 6, "uint2": 6}  # of the byte of an element


def dtype_of(name: str) -> np.dtype:
    """The dtype that users see for an element type. Those that NumPy lacks are of ml_dtypes, or else of their bits."""
    return np.dtype(object) if name == "str" else _cppgen.dtypes[name]


def storage_of(name: str) -> np.dtype:
    """The dtype of the bits of an element type."""
    return np.dtype(_STORAGE[name]) if name in _STORAGE else _cppgen.dtypes[name]


def _array_of(what: str, value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError, AttributeError):
            pass  # such as types that NumPy lacks, or memory that is read-only
        value = _bits_of_tensor(value)
    try:
        return np.asarray(value)
    except Exception as error:
        raise UserError(f"{what}: no array can be made of {type(value).__name__}: {error}") from error


def _bits_of_tensor(value: Any) -> Any:
    """A tensor of PyTorch whose type NumPy lacks, as an array of that type; everything else unchanged."""
    name = str(getattr(value, "dtype", "")).removeprefix("torch.")
    if not str(getattr(value, "dtype", "")).startswith("torch.") or name not in _STORAGE:
        return value
    import torch

    bits = torch.int16 if _STORAGE[name] is np.uint16 else torch.uint8
    return np.from_dlpack(value.detach().view(bits)).view(_STORAGE[name]).view(dtype_of(name))


def _with_dtype(what: str, value: Any, array: np.ndarray, name: str) -> np.ndarray:
    """The array with elements of this type. Numbers of Python take the type that is asked for; arrays must have it."""
    wanted = dtype_of(name)
    if array.dtype in (wanted, storage_of(name)):
        return array
    if array.dtype.newbyteorder("=") == wanted:
        return array.astype(wanted)
    is_plain = isinstance(value, (bool, int, float, list, tuple))
    kinds = {"b": "biuf", "i": "iuf", "u": "iuf", "f": "f"}
    if is_plain and (array.size == 0 or wanted.kind in kinds.get(array.dtype.kind, "") or array.dtype.kind in "iuf" and name in _STORAGE):
        return _checked_cast(what, array, wanted, name)
    hint = f": .astype('{name}') converts it" if array.dtype.kind in "biuf" and name not in _STORAGE else ""
    raise UserError(f"{what} takes {name}, not {array.dtype}{hint}")


def _checked_cast(what: str, array: np.ndarray, wanted: np.dtype, name: str) -> np.ndarray:
    result = array.astype(wanted)
    if array.dtype.kind in "iu" and wanted.kind in "iu" and not np.array_equal(result, array):
        raise UserError(f"{what} takes {name}, which cannot hold all of the given numbers")
    return result


def convert(input_name: str, name: str, value: Any) -> np.ndarray:
    """The input as a dense, aligned array of the bits of its element type: the given memory where that is possible."""
    what = f"input '{input_name}'"
    array = _with_dtype(what, value, _array_of(what, value), name)
    dense = np.require(array, requirements=["C", "A"])
    is_storage = dense.dtype == storage_of(name) and not dense.dtype.names  # those of onnx 1.17 have a field of that type
    bits = dense if is_storage else dense.view(storage_of(name))
    return _extended(bits, _UNUSED_BITS[name]) if name in _UNUSED_BITS else bits


def _extended(bits: np.ndarray, unused: int) -> np.ndarray:
    """Bytes whose upper bits are copies of the sign, or zeros, as kernels expect them: ml_dtypes leaves them undefined."""
    return bits << unused >> unused


def _strings(what: str, value: Any) -> tuple[tuple[int, ...], list[bytes]]:
    array = value if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)
    if array.dtype.kind not in "OUST":
        raise UserError(f"{what} takes strings, not {array.dtype}")
    texts = []
    for text in array.ravel().tolist():
        if not isinstance(text, (str, bytes)):
            raise UserError(f"{what} takes strings, not {type(text).__name__}")
        encoded = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        if b"\0" in encoded:
            raise UserError(f"{what}: the string {text!r} has a null character")
        texts.append(encoded)
    return array.shape, texts


def as_tensor(input_name: str, name: str | None, value: Any) -> tuple[str, Any]:
    """The element type of an input, or of an element of a sequence (then `name` is None), and its content: an array of
    the bits, or for strings their shape and a list of bytes."""
    what = f"input '{input_name}'"
    if name is None:
        array = value if isinstance(value, np.ndarray) else _array_of(what, value)
        name = "str" if array.dtype.kind in "OUST" else array.dtype.name
        if name != "str" and name not in _cppgen.dtypes:
            raise UserError(f"{what}: elements of the type {array.dtype} are not supported")
        value = array
    return name, _strings(what, value) if name == "str" else convert(input_name, name, value)


def _split_map(session: Any, name: str, value: Any, given: dict[str, Any]) -> None:
    if not isinstance(value, Mapping):
        raise UserError(f"input '{name}' is a map: it takes a dict, not {type(value).__name__}")
    given[name + ".keys"] = np.array(list(value.keys()), object) if _is_text(session, name + ".keys") else list(value.keys())
    given[name + ".values"] = list(value.values())


def _is_text(session: Any, name: str) -> bool:
    return any(it.name == name and it.type == "str" for it in session.inputs)


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) if names else "none"


def bind(session: Any, positional: tuple, named: Mapping[str, Any]) -> tuple:
    """The arguments of a call in the order of the model's inputs. Maps become their keys and values; optional inputs
    that are not given become None."""
    names = [it.name for it in session.inputs]
    maps = [n.removesuffix(".keys") for n in names if n.endswith(".keys") and n.removesuffix(".keys") + ".values" in names]
    given: dict[str, Any] = {}

    def give(name: str, value: Any) -> None:
        target = name + ".keys" if name in maps else name
        if target not in names:
            raise UserError(f"the model has no input '{name}'; it has {_listed(names)}")
        if target in given:
            raise UserError(f"input '{name}' is given twice")
        if name in maps:
            _split_map(session, name, value, given)
        else:
            given[name] = value

    order = names
    if any(isinstance(value, Mapping) for value in positional):
        merged = [n.removesuffix(".keys") if n.removesuffix(".keys") in maps else n for n in names]
        order = [n for n in merged if not (n.endswith(".values") and n.removesuffix(".values") in maps)]
    if len(positional) > len(order):
        raise UserError(f"{len(positional)} inputs are given; the model has {len(order)}: {_listed(order)}")
    for name, value in zip(order, positional):
        give(name, value)
    for name, value in named.items():
        give(name, value)
    missing = [it.name for it in session.inputs if it.name not in given and not it.kind.startswith("optional")]
    if missing:
        raise UserError(f"input {_listed(missing)} is missing")
    return tuple(given.get(name) for name in names)
