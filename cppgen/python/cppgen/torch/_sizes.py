"""Symbolic sizes: expressions of sympy over the sizes of inputs, as values of a model. They are integers, or numbers that
are computed from integers in float64."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ._model import DTYPES, Model, Value


class Unsupported(Exception):
    """What cannot be translated: the message says what and why."""


@dataclasses.dataclass(frozen=True)
class Size:
    """A size, or another integer, that depends on the sizes of inputs."""

    expression: Any  #: of sympy

    def __str__(self) -> str:
        return str(self.expression).replace(" ", "")


Dim = int | Size


def is_zero(expression: Any) -> bool:
    return expression == 0 or (hasattr(expression, "expand") and expression.expand() == 0)


def same(a: Dim, b: Dim) -> bool:
    """Whether the sizes are equal for all inputs."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    difference = getattr(a, "expression", a) - getattr(b, "expression", b)
    return is_zero(difference)


def product(dims: Sequence[Dim]) -> Dim:
    result: Any = 1
    for dim in dims:
        result = result * getattr(dim, "expression", dim)
    return result if isinstance(result, int) else as_dim(result)


def as_dim(expression: Any) -> Dim:
    return int(expression) if getattr(expression, "is_Integer", isinstance(expression, int)) else Size(expression)


def dim_name(dim: Dim) -> int | str | None:
    """A size as it is written in the type of an input or output; None for those that cppgen could not parse."""
    if isinstance(dim, int):
        return dim
    kinds = {type(it).__name__ for it in _subexpressions(dim.expression)}
    plain = kinds <= {"Symbol", "Integer", "NegativeOne", "One", "Add", "Mul"}
    return str(dim) if plain else None


def _subexpressions(expression: Any) -> list[Any]:
    return [expression] + [it for argument in expression.args for it in _subexpressions(argument)]


class Sizes:
    """Symbolic sizes of one model as its values: scalars of int64. Each is computed once."""

    def __init__(self, model: Model):
        self._model = model
        self._values: dict[Any, Value] = {}
        self._sources: dict[str, Callable[[], Value]] = {}

    def declare(self, symbol: Any, source: Callable[[], Value]) -> None:
        """The function makes the value of the symbol if it is needed. The first declaration counts."""
        self._sources.setdefault(str(symbol), source)

    def declare_shape(self, value: Value) -> None:
        """The symbols among the dimensions of an input."""
        for axis, dim in enumerate(value.shape or ()):
            if isinstance(dim, Size) and dim.expression.is_Symbol:
                self.declare(dim.expression, lambda axis=axis: self._size_of(value, axis))

    def _size_of(self, value: Value, axis: int) -> Value:
        sizes = self._model.op("Shape", value, dtype="int64", start=axis, end=axis + 1)
        return self._model.op("Squeeze", sizes, self._model.ints(0), shape=())

    def scalar(self, size: Dim) -> Value:
        """A scalar."""
        if isinstance(size, int):
            return self._model.constant(size, "int64")
        return self._value(size.expression)

    def vector(self, sizes: Sequence[Dim]) -> Value:
        """A vector, such as the shape of a tensor."""
        if all(isinstance(it, int) for it in sizes):
            return self._model.ints(*sizes)
        parts: list[Value] = []
        known: list[int] = []
        for size in [*sizes, None]:
            if isinstance(size, int):
                known.append(size)
                continue
            if known:
                parts.append(self._model.ints(*known))
                known = []
            if size is not None:
                parts.append(self._model.op("Unsqueeze", self.scalar(size), self._model.ints(0)))
        return parts[0] if len(parts) == 1 else self._model.op("Concat", *parts, axis=0)

    def _value(self, expression: Any) -> Value:
        if expression not in self._values:
            self._values[expression] = self._make(expression)
        return self._values[expression]

    def _make(self, expression: Any) -> Value:
        if expression.is_Integer:
            return self._model.constant(int(expression), "int64")
        if expression.is_Float or expression.is_Rational:
            return self._model.constant(float(expression), "float64")
        if expression.is_Symbol:
            if str(expression) not in self._sources:
                raise Unsupported(f"the size {expression} is no size of an input")
            return self._sources[str(expression)]()
        function = _FUNCTIONS.get(type(expression).__name__)
        if function is None:
            raise Unsupported(f"the size {expression} contains {type(expression).__name__}")
        return function(self._model, [self._value(it) for it in expression.args])


def _alike(model: Model, values: list[Value], dtype: str | None = None) -> list[Value]:
    """The values in one type: float64 if one is of it."""
    dtype = dtype or ("float64" if any(it.dtype == "float64" for it in values) else "int64")
    return [it if it.dtype == dtype else model.op("Cast", it, dtype=dtype, to=DTYPES[dtype]) for it in values]


def _chain(operator: str, dtype: str | None = None) -> Callable[[Model, list[Value]], Value]:
    def make(model: Model, values: list[Value]) -> Value:
        values = _alike(model, values, dtype)
        result = values[0]
        for value in values[1:]:
            result = model.op(operator, result, value, shape=())
        return result

    return make


def _floor_div(model: Model, values: list[Value]) -> Value:
    return model.op("Div", model.op("Sub", values[0], model.op("Mod", *values)), values[1], shape=())


def _ceil_div(model: Model, values: list[Value]) -> Value:
    negative = model.op("Neg", values[0])
    return model.op("Neg", _floor_div(model, [negative, values[1]]), shape=())


def _modular_indexing(model: Model, values: list[Value]) -> Value:
    return model.op("Mod", _floor_div(model, values[:2]), values[2], shape=())


#: By the names of the classes of sympy and of torch.utils._sympy.functions.
_FUNCTIONS: dict[str, Callable[[Model, list[Value]], Value]] = {
    "Add": _chain("Add"), "Mul": _chain("Mul"), "Max": _chain("Max"), "Min": _chain("Min"), "Pow": _chain("Pow"),
    "PowByNatural": _chain("Pow"), "Mod": _chain("Mod"), "PythonMod": _chain("Mod"), "FloorDiv": _floor_div,
    "CleanDiv": _floor_div, "CeilDiv": _ceil_div,
    "ModularIndexing": _modular_indexing, "Identity": lambda model, values: values[0],
    "IntTrueDiv": _chain("Div", "float64"), "FloatTrueDiv": _chain("Div", "float64"), "ToFloat": _chain("Add", "float64"),
    "FloatPow": _chain("Pow", "float64"),
    "OpaqueUnaryFn_sqrt": lambda model, values: model.op("Sqrt", *_alike(model, values, "float64")),
}  # yapf: disable
