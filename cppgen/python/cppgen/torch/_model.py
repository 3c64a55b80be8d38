"""ONNX models in memory: nodes, weights, inputs and outputs, written as bytes.

The messages of ONNX are few, and the format of protobuf is simple, so this needs no package onnx, which the users of
PyTorch mostly do not have."""
from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _protobuf as pb

OPSET = 23
IR_VERSION = 11

#: TensorProto.DataType by the names of dtypes.
DTYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18,
    "float8_e5m2": 19, "float8_e5m2fnuz": 20,
}  # yapf: disable

Dim = Any  #: a size: an int, or a name
Dims = Sequence[Dim]


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor of a model. `shape` has ints and symbolic sizes; it is None where nobody asks for it."""

    name: str
    dtype: str
    shape: tuple[Any, ...] | None = None

    @property
    def rank(self) -> int:
        assert self.shape is not None, self.name
        return len(self.shape)


def _attribute(name: str, value: Any) -> pb.Message:
    """AttributeProto: of an int, a float, a string, or a list of ints or floats."""
    fields = [pb.text(1, name)]
    if isinstance(value, (bool, int)):
        return pb.message(*fields, pb.integer(3, int(value)), pb.integer(20, 2))
    if isinstance(value, float):
        return pb.message(*fields, pb.float32(2, value), pb.integer(20, 1))
    if isinstance(value, str):
        return pb.message(*fields, pb.text(4, value), pb.integer(20, 3))
    if value and isinstance(value[0], float):
        return pb.message(*fields, *(pb.float32(7, it) for it in value), pb.integer(20, 6))
    return pb.message(*fields, *(pb.integer(8, int(it)) for it in value), pb.integer(20, 7))


def _value_info(name: str, dtype: str, dims: Dims) -> pb.Message:
    """ValueInfoProto of a tensor. A dim None is unknown."""
    shape = pb.message(*(_dim(dim) for dim in dims))
    tensor = pb.message(pb.integer(1, DTYPES[dtype]), pb.nested(2, shape))
    return pb.message(pb.text(1, name), pb.nested(2, pb.message(pb.nested(1, tensor))))


def _dim(dim: Dim) -> pb.Field:
    if dim is None:
        return pb.nested(1, pb.message())
    return pb.nested(1, pb.message(pb.integer(1, dim) if isinstance(dim, int) else pb.text(2, dim)))


class Model:
    """A model that is being made. Names of values are unique."""

    def __init__(self) -> None:
        self._nodes: list[pb.Message] = []
        self._weights: list[pb.Message] = []
        self._inputs: list[pb.Message] = []
        self._outputs: list[pb.Message] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._count = 0

    @property
    def node_count(self) -> int:
        return len(self._nodes)

    def new_name(self, base: str = "v") -> str:
        self._count += 1
        return f"{base}.{self._count}"

    def input(self, name: str, dtype: str, dims: Dims) -> Value:
        self._inputs.append(_value_info(name, dtype, dims))
        return Value(name, dtype, tuple(dims))

    def output(self, value: Value, dims: Dims) -> str:
        """Makes the value an output: its name, which is new, as a value may be an output twice, or an input."""
        name = self.new_name("output")
        self._add("Identity", [value.name], [name], {}, "")
        self._outputs.append(_value_info(name, value.dtype, dims))
        return name

    def weight(self, name: str, dtype: str, dims: Sequence[int], data: Any) -> Value:
        """A constant whose dense elements are the bytes of `data`, a buffer, which is not copied before `to_bytes`."""
        self._weights.append(pb.message(*(pb.integer(1, dim) for dim in dims), pb.integer(2, DTYPES[dtype]),
                                        pb.text(8, name), pb.raw(9, data)))
        return Value(name, dtype, tuple(dims))

    def constant(self, value: Any, dtype: str) -> Value:
        """A small constant: numbers in lists. Equal ones are made once."""
        array = np.array(value, dtype="float32" if dtype == "bfloat16" else dtype)
        if dtype == "bfloat16":
            return self.op("Cast", self.constant(value, "float32"), dtype=dtype, shape=array.shape, to=DTYPES[dtype])
        key = (dtype, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.weight(self.new_name("constant"), dtype, array.shape, array.tobytes())
        return self._constants[key]

    def ints(self, *values: int) -> Value:
        """A constant vector of int64."""
        return self.constant(list(values), "int64")

    def op(self, operator: str, *inputs: Value | None, dtype: str | None = None, shape: Any = None, domain: str = "",
           **attributes: Any) -> Value:
        """Adds a node with one output, which has the dtype of the first input unless another is given. Attributes that
        are None are left out."""
        return self.ops(operator, *inputs, dtypes=[dtype], shape=shape, domain=domain, **attributes)[0]

    def ops(self, operator: str, *inputs: Value | None, dtypes: Sequence[str | None], shape: Any = None,
            domain: str = "", **attributes: Any) -> list[Value]:
        """The same for nodes with as many outputs as there are dtypes."""
        default = inputs[0].dtype if inputs and inputs[0] is not None else "float32"
        names = [self.new_name() for _ in dtypes]
        self._add(operator, ["" if it is None else it.name for it in inputs], names, attributes, domain)
        return [Value(name, dtype or default, shape) for name, dtype in zip(names, dtypes)]

    def _add(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Any],
             domain: str) -> None:
        fields = [pb.text(1, name) for name in inputs] + [pb.text(2, name) for name in outputs]
        fields += [pb.text(3, outputs[0]), pb.text(4, operator)]
        fields += [pb.nested(5, _attribute(k, v)) for k, v in attributes.items() if v is not None]
        self._nodes.append(pb.message(*fields, *([pb.text(7, domain)] if domain else [])))

    def to_bytes(self) -> bytes:
        """ModelProto. Weights are copied once, into the result."""
        graph = [pb.nested(1, node) for node in self._nodes] + [pb.text(2, "torch")]
        graph += [pb.nested(5, it) for it in self._weights]
        graph += [pb.nested(11, it) for it in self._inputs] + [pb.nested(12, it) for it in self._outputs]
        opset = pb.message(pb.text(1, ""), pb.integer(2, OPSET))
        return pb.to_bytes(pb.message(pb.integer(1, IR_VERSION), pb.text(2, "cppgen.torch"),
                                      pb.nested(7, pb.message(*graph)), pb.nested(8, opset)))
