"""The types of inputs and outputs as an ONNX file states them, which ONNX Runtime shows: "seq(map(string,tensor(float)))".

They are read from the bytes of the file, so that the package onnx is not needed."""
from __future__ import annotations

import dataclasses
import mmap
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._errors import UserError

ELEMENTS = {
    1: "float", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "double", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16",
    17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
    23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2",
}  # yapf: disable

#: cppgen's names where they differ
_OF_CPPGEN = {"float32": "float", "float64": "double", "str": "string", "float8_e4m3fn": "float8e4m3fn",
              "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz",
              "float4_e2m1fn": "float4e2m1", "float8_e8m0fnu": "float8e8m0"}

Result = TypeVar("Result")


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output of a model."""

    name: str
    type: str  #: "tensor(float)"
    shape: list[int | str | None]

    def __str__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"

    __repr__ = __str__


def element_name(cppgen_type: str) -> str:
    """ONNX's name of a type of cppgen."""
    return _OF_CPPGEN.get(cppgen_type, cppgen_type)


def _number(data: Any, at: int) -> tuple[int, int]:
    """A number of variable length at this position, and the position behind it."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise UserError("the model is no ONNX file: it is damaged")
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7


def _fields(data: Any, begin: int, end: int) -> Iterator[tuple[int, Any]]:
    """Number and content of each field of a message: a number, or where a part of the data begins and ends."""
    while begin < end:
        key, begin = _number(data, begin)
        kind = key & 7
        if kind == 0:
            value, begin = _number(data, begin)
            yield key >> 3, value
            continue
        if kind == 2:
            size, begin = _number(data, begin)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise UserError("the model is no ONNX file: it is damaged")
        if begin + size > end:
            raise UserError("the model is no ONNX file: it is damaged")
        yield key >> 3, (begin, begin + size)
        begin += size


class _Reader:
    def __init__(self, data: Any):
        self._data = data

    def text(self, part: tuple[int, int]) -> str:
        return bytes(self._data[part[0]:part[1]]).decode("utf-8", "replace")

    def fields(self, part: tuple[int, int]) -> Iterator[tuple[int, Any]]:
        return _fields(self._data, *part)

    def dim(self, part: tuple[int, int]) -> int | str | None:
        for number, value in self.fields(part):
            if number == 1:
                return value
            if number == 2:
                return self.text(value) or None
        return None

    def type(self, part: tuple[int, int]) -> tuple[str, list[int | str | None] | None]:
        """The text of a type, and its shape if it has one."""
        for number, value in self.fields(part):
            if number in (1, 8):  # a tensor, a sparse tensor
                parts = dict(self.fields(value))
                shape = [self.dim(d) for n, d in self.fields(parts[2]) if n == 1] if 2 in parts else None
                return f"{'' if number == 1 else 'sparse_'}tensor({ELEMENTS.get(parts.get(1, 0), 'undefined')})", shape
            if number in (4, 9):
                held = dict(self.fields(value)).get(1, (0, 0))
                return f"{'seq' if number == 4 else 'optional'}({self.type(held)[0]})", None
            if number == 5:
                parts = dict(self.fields(value))
                return f"map({ELEMENTS.get(parts.get(1, 0), 'undefined')},{self.type(parts.get(2, (0, 0)))[0]})", None
        return "undefined", None

    def value_info(self, part: tuple[int, int]) -> tuple[str, str, list[int | str | None] | None]:
        parts = dict(self.fields(part))
        return (self.text(parts.get(1, (0, 0))), *self.type(parts.get(2, (0, 0))))


def _declared(data: Any) -> tuple[list[Any], list[Any]]:
    """Name, type and shape of each input and output of the graph."""
    reader = _Reader(data)
    inputs, outputs = [], []
    for number, graph in _fields(data, 0, len(data)):
        if number != 7:
            continue
        for kind, part in reader.fields(graph):
            if kind == 11:
                inputs.append(reader.value_info(part))
            elif kind == 12:
                outputs.append(reader.value_info(part))
    return inputs, outputs


def _external(data: Any) -> bool:
    """Whether a tensor among the initializers of the graph is in another file."""
    reader = _Reader(data)
    for number, graph in _fields(data, 0, len(data)):
        for kind, part in reader.fields(graph) if number == 7 else ():
            if kind == 5 and (14, 1) in reader.fields(part):
                return True
    return False


def _read(model: str | os.PathLike[str] | bytes, read: Callable[[Any], Result]) -> Result:
    if isinstance(model, (bytes, bytearray, memoryview)):
        return read(model)
    with open(model, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return read(data)


def declared_types(model: str | os.PathLike[str] | bytes) -> tuple[list[Any], list[Any]]:
    """Name, type and shape (None if the file does not state it) of each input and output of a model."""
    return _read(model, _declared)


def has_external_data(model: str | os.PathLike[str] | bytes) -> bool:
    """Whether weights of the model are in other files."""
    return _read(model, _external)
