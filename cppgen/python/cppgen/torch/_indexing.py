"""Operators whose indices are tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._sizes import Unsupported, same
from ._table import Context, Result, axis_of, operator

Indices = Sequence[Value | None]


@operator("embedding")
def _embedding(c: Context, r: Result, table: Value, indices: Value, *_: Any) -> Value:
    return c.op("Gather", table, indices, axis=0)


@operator("index_select")
def _index_select(c: Context, r: Result, x: Value, dim: int, indices: Value) -> Value:
    if x.rank == 0:
        return x
    return c.op("Gather", x, indices, axis=axis_of(dim, x.rank))


@operator("gather")
def _gather(c: Context, r: Result, x: Value, dim: int, indices: Value, **_: Any) -> Value:
    if x.rank == 0:
        return x
    return c.op("GatherElements", x, indices, axis=axis_of(dim, x.rank))


def _scatter(c: Context, x: Value, dim: int, indices: Value, updates: Value, reduction: str | None) -> Value:
    if x.rank == 0:
        raise Unsupported("scatter into a scalar")
    assert updates.shape is not None and indices.shape is not None
    for axis, (have, want) in enumerate(zip(updates.shape, indices.shape)):
        if not same(have, want):  # only the first elements are used
            updates = c.slice(updates, axis, 0, want)
    return c.op("ScatterElements", x, indices, c.cast(updates, x.dtype), axis=axis_of(dim, x.rank), reduction=reduction)


@operator("scatter.src", "scatter.value")
def _scatter_plain(c: Context, r: Result, x: Value, dim: int, indices: Value, source: Any) -> Value:
    assert indices.shape is not None
    if not isinstance(source, Value):
        source = c.full(source, Result(x.dtype, indices.shape))
    return _scatter(c, x, dim, indices, source, None)


@operator("scatter_add")
def _scatter_add(c: Context, r: Result, x: Value, dim: int, indices: Value, source: Value) -> Value:
    return _scatter(c, x, dim, indices, source, "add")


@operator("scatter_reduce.two")
def _scatter_reduce(c: Context, r: Result, x: Value, dim: int, indices: Value, source: Value, reduce: str, *,
                    include_self: bool = True) -> Value:
    kinds = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}
    if reduce not in kinds or not include_self:
        raise Unsupported(f"scatter_reduce with reduce={reduce!r}, include_self={include_self}")
    return _scatter(c, x, dim, indices, source, kinds[reduce])


def _order(x: Value, indices: Indices) -> tuple[list[int], list[int]]:
    """The dimensions that are indexed, and the others."""
    indexed = [axis for axis, it in enumerate(indices) if it is not None]
    return indexed, [axis for axis in range(x.rank) if axis not in indexed]


def _tuples(c: Context, indices: Sequence[Value], shape: Sequence[Any]) -> Value:
    """The last dimension of the result has one index of each tensor, which are broadcast to `shape`."""
    columns = []
    for index in indices:
        index = c.cast(index, "int64")
        columns.append(c.unsqueeze(c.expand(index, shape) if tuple(index.shape or ()) != tuple(shape) else index, -1))
    return columns[0] if len(columns) == 1 else c.op("Concat", *columns, axis=-1)


def _broadcast(c: Context, indices: Sequence[Value]) -> tuple[Any, ...]:
    """The common shape of the indices."""
    rank = max(it.rank for it in indices)
    shape: list[Any] = [1] * rank
    for index in indices:
        for position, size in enumerate(reversed(index.shape or ())):
            if size != 1:
                shape[rank - 1 - position] = size
    return tuple(shape)


def _refuse_masks(indices: Indices) -> None:
    if any(it is not None and it.dtype in ("bool", "uint8") for it in indices):
        raise Unsupported("an index that is a mask: the size of the result depends on its values")


@operator("index.Tensor", "_unsafe_index.Tensor")
def _index(c: Context, r: Result, x: Value, indices: Indices) -> Value:
    _refuse_masks(indices)
    indexed, others = _order(x, indices)
    given = [it for it in indices if it is not None]
    if not given:
        return x
    if len(given) == 1:
        return c.op("Gather", x, given[0], axis=indexed[0])
    shape = _broadcast(c, given)
    found = c.op("GatherND", c.transpose(x, indexed + others), _tuples(c, given, shape))
    if indexed != list(range(indexed[0], indexed[0] + len(indexed))):
        return found  # the dimensions of the indices come first
    first, count = indexed[0], len(shape)
    order = list(range(count, count + first)) + list(range(count)) + list(range(count + first, len(r.shape)))
    return c.transpose(Value(found.name, found.dtype, _permuted(r.shape, order)), order)


def _permuted(shape: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    """The shape that becomes this one when it is transposed."""
    result = [None] * len(shape)
    for position, axis in enumerate(order):
        result[axis] = shape[position]
    return tuple(result)


@operator("index_put", "_unsafe_index_put")
def _index_put(c: Context, r: Result, x: Value, indices: Indices, values: Value, accumulate: bool = False, *_: Any) -> Value:
    if len([it for it in indices if it is not None]) == 1 and not accumulate and values.shape == ():
        mask = next(it for it in indices if it is not None)
        if mask.dtype == "bool":
            return _fill_where(c, r, x, indices, mask, values)
    _refuse_masks(indices)
    assert x.shape is not None
    indexed, others = _order(x, indices)
    given = [it for it in indices if it is not None]
    if indexed != list(range(len(indexed))):
        raise Unsupported("index_put whose indices are not of the first dimensions")
    shape = _broadcast(c, given)
    updates = c.expand(c.cast(values, x.dtype), [*shape, *(x.shape[axis] for axis in others)])
    return c.op("ScatterND", x, _tuples(c, given, shape), updates, reduction="add" if accumulate else None)


def _fill_where(c: Context, r: Result, x: Value, indices: Indices, mask: Value, number: Value) -> Value:
    """x[..., mask] = number"""
    first = next(axis for axis, it in enumerate(indices) if it is not None)
    after = x.rank - first - mask.rank
    if after:
        mask = c.unsqueeze(mask, *range(mask.rank, mask.rank + after))
    return c.op("Where", mask, c.cast(number, x.dtype), x, dtype=x.dtype)
