"""Operators that make tensors from numbers."""
from __future__ import annotations

from typing import Any

from ._model import Value
from ._sizes import Dim
from ._table import Context, Number, Result, operator


@operator("full", "full_like", "new_full")
def _full(c: Context, r: Result, first: Any, *rest: Any, **_: Any) -> Value:
    return c.full(rest[-1] if rest else 0, r)


@operator("fill")
def _fill(c: Context, r: Result, x: Value, number: Any) -> Value:
    return c.full(number, r)


@operator("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided")
def _zeros(c: Context, r: Result, *_: Any, **__: Any) -> Value:
    return c.full(0, r)


@operator("ones", "ones_like", "new_ones")
def _ones(c: Context, r: Result, *_: Any, **__: Any) -> Value:
    return c.full(1, r)


@operator("scalar_tensor")
def _scalar_tensor(c: Context, r: Result, number: Number, **_: Any) -> Value:
    return c.tensor(number, r.dtype)


@operator("arange")
def _arange(c: Context, r: Result, *limits: Number, **_: Any) -> Value:
    begin, end, step = (0, limits[0], 1) if len(limits) == 1 else (*limits, 1)[:3]
    dtype = r.dtype if r.dtype in ("float32", "float64", "int16", "int32", "int64") else "float32"
    return c.cast(c.op("Range", *(c.tensor(it, dtype) for it in (begin, end, step)), shape=r.shape), r.dtype)


@operator("iota")
def _iota(c: Context, r: Result, length: Dim, *, start: Number = 0, step: Number = 1, **_: Any) -> Value:
    count = c.tensor(length, "int64")
    steps = c.op("Mul", count, c.tensor(step, "int64")) if step != 1 else count
    end = c.op("Add", steps, c.tensor(start, "int64")) if start != 0 else steps
    values = c.op("Range", c.tensor(start, "int64"), end, c.tensor(step, "int64"), shape=r.shape)
    return c.cast(values, r.dtype)
