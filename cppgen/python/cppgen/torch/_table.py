"""The table of operators: what each operator of ATen becomes in ONNX.

A row is a function with the decorator `operator`. It takes the context of the translation, a description of the result,
and the arguments of the operator: tensors are `Value`s, sizes are ints or `Size`s, dtypes and memory formats are names;
it returns a value, or a tuple with None for results that it does not have. Nothing here needs torch."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ._model import DTYPES, Model, Value
from ._sizes import Dim, Size, Sizes, Unsupported

Number = Any  #: an int, a float, a bool, or a Size


class Result(NamedTuple):
    """The type of an operator's result."""

    dtype: str
    shape: tuple[Dim, ...]


class Context:
    """The model that is made, and what the rows of the table share."""

    def __init__(self, used: Callable[[int], bool] = lambda index: True) -> None:
        self.model = Model()
        self.sizes = Sizes(self.model)
        self.op, self.ops, self.ints = self.model.op, self.model.ops, self.model.ints
        self.is_used = used  #: whether the result of this number is used, of an operator with several

    def cast(self, value: Value, dtype: str) -> Value:
        if value.dtype == dtype:
            return value
        if dtype not in DTYPES:
            raise Unsupported(f"tensors of {dtype}")
        return self.op("Cast", value, dtype=dtype, shape=value.shape, to=DTYPES[dtype])

    def tensor(self, value: Value | Number, dtype: str) -> Value:
        """A tensor or a number as a tensor of this type."""
        if isinstance(value, Value):
            return self.cast(value, dtype)
        if isinstance(value, Size):
            return self.cast(self.sizes.scalar(value), dtype)
        return self.model.constant(value, dtype)

    def reshape(self, value: Value, dims: Sequence[Dim]) -> Value:
        """allowzero: a size 0 is a size."""
        zero = 1 if any(dim == 0 for dim in dims) else None
        return self.op("Reshape", value, self.sizes.vector(dims), shape=tuple(dims), allowzero=zero)

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        if list(order) == list(range(len(order))):
            return value
        assert value.shape is not None
        return self.op("Transpose", value, shape=tuple(value.shape[axis] for axis in order), perm=list(order))

    def unsqueeze(self, value: Value, *axes: int) -> Value:
        return self.op("Unsqueeze", value, self.ints(*axes))

    def squeeze(self, value: Value, *axes: int) -> Value:
        return self.op("Squeeze", value, self.ints(*axes))

    def expand(self, value: Value, dims: Sequence[Dim]) -> Value:
        return self.op("Expand", value, self.sizes.vector(dims), shape=tuple(dims))

    def slice(self, value: Value, axis: int, begin: Dim, end: Dim, step: int = 1) -> Value:
        vector = self.sizes.vector
        return self.op("Slice", value, vector([begin]), vector([end]), self.ints(axis), self.ints(step))

    def full(self, number: Number, result: Result) -> Value:
        """A tensor of equal numbers."""
        return self.expand(self.tensor(number, result.dtype), result.shape)


Row = Callable[..., Any]
OPERATORS: dict[str, Row] = {}


def operator(*names: str) -> Callable[[Row], Row]:
    """Adds a row for these operators: "relu" for all overloads, or "max.dim" for one."""
    def add(row: Row) -> Row:
        for name in names:
            assert name not in OPERATORS, name
            OPERATORS[name] = row
        return row

    return add


def row_of(name: str) -> Row | None:
    """The row of an operator, "add.Tensor"."""
    return OPERATORS.get(name) or OPERATORS.get(name.split(".")[0])


def known(dims: Sequence[Dim], what: str) -> list[int]:
    """Sizes that must not be symbolic."""
    for dim in dims:
        if not isinstance(dim, int):
            raise Unsupported(f"{what} {dim}, which is symbolic")
    return list(dims)  # type: ignore[arg-type]


def axis_of(axis: int, rank: int) -> int:
    return axis + max(rank, 1) if axis < 0 else axis


def pairs(values: Sequence[int], count: int) -> list[int]:
    """Parameters of windows, of which one may stand for all."""
    return [int(it) for it in (values if len(values) == count else list(values) * count)]
