"""The types in which operands of different types meet."""
from __future__ import annotations

from typing import Any

from ._model import Value
from ._sizes import Size

Operand = Any  #: a Value or a number

_WIDTHS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")

def _category(dtype: str) -> int:
    return 2 if dtype in FLOATS else 0 if dtype == "bool" else 1


def promoted(a: Operand, b: Operand) -> str:
    """The type in which two operands are compared, by the rules of PyTorch: numbers and scalars count less than tensors
    unless they are of a higher category."""
    kinds = sorted((_kind(it) for it in (a, b)), key=lambda it: (_category(it[0]), it[1]))
    (low, low_priority), (high, high_priority) = kinds
    if _category(low) != _category(high):
        return high
    if low_priority != high_priority:
        return high if high_priority > low_priority else low
    if low == high:
        return low
    if _category(low) == 2:
        return "float32" if {low, high} == {"float16", "bfloat16"} else max(low, high, key=FLOATS.index)
    if {low, high} == {"uint8", "int8"}:
        return "int16"
    return max(low, high, key=_WIDTHS.index)


def _kind(operand: Operand) -> tuple[str, int]:
    """The dtype, and how much it counts."""
    if isinstance(operand, Value):
        return operand.dtype, 2 if operand.shape else 1
    if isinstance(operand, bool):
        return "bool", 0
    return ("int64" if isinstance(operand, (int, Size)) else "float32"), 0
