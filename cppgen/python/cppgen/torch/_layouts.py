"""Memory formats: tensors that are dense, with their dimensions in another order, are passed without copies."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._sizes import Dim, product, same


def hint(size: Any) -> int | None:
    """A symbolic size as it was when the model was traced, or None."""
    if isinstance(size, int):
        return size
    value = getattr(getattr(size, "node", None), "hint", None)
    return value if isinstance(value, int) else None


def _is_dense(dims: Sequence[Dim], strides: Sequence[Dim]) -> bool:
    for axis, (dim, stride) in enumerate(zip(dims, strides)):
        if dim != 1 and not same(stride, product(dims[axis + 1:])):
            return False
    return True


def memory_order(dims: Sequence[Dim], strides: Sequence[Dim], hints: Sequence[int | None]) -> list[int] | None:
    """The dimensions in the order of their strides, the largest first, or None if the tensor is not dense. `hints`: the
    strides, as numbers."""
    axes = list(range(len(dims)))
    if _is_dense(dims, strides):
        return axes
    if any(it is None for it in hints):
        return None
    order = [axis for axis in axes if dims[axis] == 1]
    order += sorted((axis for axis in axes if dims[axis] != 1), key=lambda axis: -hints[axis])  # type: ignore[operator]
    return order if _is_dense([dims[it] for it in order], [strides[it] for it in order]) else None


def inverse(order: Sequence[int]) -> list[int]:
    result = [0] * len(order)
    for position, axis in enumerate(order):
        result[axis] = position
    return result
