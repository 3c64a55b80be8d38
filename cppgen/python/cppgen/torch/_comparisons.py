"""Comparisons and logic."""
from __future__ import annotations

from collections.abc import Callable

from ._model import Value
from ._promotion import Operand, promoted
from ._table import Context, Result, operator

_COMPARISONS = {"eq": "Equal", "gt": "Greater", "ge": "GreaterOrEqual", "lt": "Less", "le": "LessOrEqual"}


def _comparison(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, a: Operand, b: Operand) -> Value:
        dtype = promoted(a, b)
        if dtype == "bool" and onnx != "Equal":
            dtype = "uint8"
        return c.op(onnx, c.tensor(a, dtype), c.tensor(b, dtype), dtype="bool")

    return row


for _name, _onnx in _COMPARISONS.items():
    operator(_name)(_comparison(_onnx))


@operator("ne")
def _ne(c: Context, r: Result, a: Operand, b: Operand) -> Value:
    return c.op("Not", _comparison("Equal")(c, r, a, b))


@operator("bitwise_not", "logical_not")
def _not(c: Context, r: Result, x: Value) -> Value:
    return c.op("Not", c.cast(x, "bool")) if r.dtype == "bool" else c.op("BitwiseNot", x)


def _logical(onnx: str) -> Callable[..., Value]:
    return lambda c, r, a, b: c.op(onnx, c.cast(a, "bool"), c.cast(b, "bool"))


for _name, _onnx in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    operator(_name)(_logical(_onnx))


@operator("isnan")
def _isnan(c: Context, r: Result, x: Value) -> Value:
    return c.op("IsNaN", c.cast(x, promoted(x, 0.0)), dtype="bool")


@operator("isinf")
def _isinf(c: Context, r: Result, x: Value) -> Value:
    return c.op("IsInf", c.cast(x, promoted(x, 0.0)), dtype="bool")


@operator("where")
def _where(c: Context, r: Result, condition: Value, a: Operand, b: Operand) -> Value:
    return c.op("Where", c.cast(condition, "bool"), c.tensor(a, r.dtype), c.tensor(b, r.dtype), dtype=r.dtype)


@operator("masked_fill")
def _masked_fill(c: Context, r: Result, x: Value, mask: Value, number: Operand) -> Value:
    return _where(c, r, mask, number, x)
