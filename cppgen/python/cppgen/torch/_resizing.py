"""Interpolation."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._table import Context, Result, operator


def _resize(c: Context, r: Result, x: Value, count: int, scales: Sequence[Any], **attributes: Any) -> Value:
    """Resizes the last dimensions, by factors if they are given, and otherwise to the sizes of the result."""
    given = [it for it in scales if it is not None]
    if len(given) == count and all(isinstance(it, float) for it in given):
        factors = c.model.constant([1.0, 1.0, *given], "float32")
        return c.op("Resize", x, None, factors, **attributes)
    return c.op("Resize", x, None, None, c.sizes.vector(r.shape), **attributes)


def _nearest(count: int) -> Any:
    """upsample_nearest: (x, size, scale...), or (x, size, scales)."""
    def row(c: Context, r: Result, x: Value, size: Any, *scales: Any) -> Value:
        factors = scales[0] if scales and isinstance(scales[0], (list, tuple)) else scales
        return _resize(c, r, x, count, factors or (), mode="nearest", coordinate_transformation_mode="asymmetric",
                       nearest_mode="floor")

    return row


def _interpolated(count: int, mode: str) -> Any:
    """upsample_bilinear2d and its like: (x, size, align_corners, scale...), or (x, size, align_corners, scales)."""
    def row(c: Context, r: Result, x: Value, size: Any, align_corners: bool, *scales: Any) -> Value:
        factors = scales[0] if scales and isinstance(scales[0], (list, tuple)) else scales
        if align_corners:
            return _resize(c, r, x, count, (), mode=mode, coordinate_transformation_mode="align_corners",
                           cubic_coeff_a=-0.75)
        return _resize(c, r, x, count, factors or (), mode=mode, coordinate_transformation_mode="half_pixel",
                       cubic_coeff_a=-0.75)

    return row


for _count in (1, 2, 3):
    operator(f"upsample_nearest{_count}d")(_nearest(_count))
for _name, _count, _mode in (("upsample_linear1d", 1, "linear"), ("upsample_bilinear2d", 2, "linear"),
                             ("upsample_trilinear3d", 3, "linear"), ("upsample_bicubic2d", 2, "cubic")):
    operator(_name)(_interpolated(_count, _mode))


@operator("grid_sampler_2d", "grid_sampler_3d")
def _grid_sampler(c: Context, r: Result, x: Value, grid: Value, mode: int, padding: int, align_corners: bool) -> Value:
    return c.op("GridSample", x, grid, mode=("linear", "nearest", "cubic")[mode],
                padding_mode=("zeros", "border", "reflection")[padding], align_corners=int(align_corners))
