"""Products of matrices, convolutions, pooling, normalisation, interpolation."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._sizes import Dim, Unsupported
from ._table import Context, Number, Result, known, operator, pairs


@operator("mm", "bmm", "matmul", "mv", "dot")
def _matmul(c: Context, r: Result, a: Value, b: Value) -> Value:
    return c.op("MatMul", a, b)


def _scaled(c: Context, x: Value, factor: Number) -> Value:
    return x if factor == 1 else c.op("Mul", x, c.tensor(factor, x.dtype))


@operator("addmm", "baddbmm", "addmv")
def _addmm(c: Context, r: Result, bias: Value, a: Value, b: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    product = _scaled(c, c.op("MatMul", a, b), alpha)
    return product if beta == 0 else c.op("Add", product, _scaled(c, bias, beta))


@operator("linear")
def _linear(c: Context, r: Result, x: Value, weight: Value, bias: Value | None = None) -> Value:
    product = c.op("MatMul", x, c.transpose(weight, [1, 0]))
    return product if bias is None else c.op("Add", product, bias)


@operator("convolution")
def _convolution(c: Context, r: Result, x: Value, weight: Value, bias: Value | None, stride: Sequence[int],
                 padding: Sequence[int], dilation: Sequence[int], transposed: bool, output_padding: Sequence[int],
                 groups: int) -> Value:
    assert weight.shape is not None
    count = weight.rank - 2
    pads = pairs(padding, count)
    attributes: dict[str, Any] = {
        "strides": pairs(stride, count), "pads": pads + pads, "dilations": pairs(dilation, count), "group": int(groups),
        "kernel_shape": known(weight.shape[2:], "a window of the size"),
    }  # yapf: disable
    if transposed:
        extra = pairs(output_padding, count)
        return c.op("ConvTranspose", x, weight, bias, output_padding=extra if any(extra) else None, **attributes)
    return c.op("Conv", x, weight, bias, **attributes)


def _batched(c: Context, x: Value, count: int) -> tuple[Value, bool]:
    """With a dimension for the batch, and whether it was missing."""
    if x.rank == count + 2:
        return x, False
    assert x.shape is not None
    return Value(c.unsqueeze(x, 0).name, x.dtype, (1, *x.shape)), True


def _unbatched(c: Context, x: Value, was_missing: bool) -> Value:
    return c.squeeze(x, 0) if was_missing else x


def _end_pads(x: Value, r: Result, kernel: Sequence[int], stride: Sequence[int], pads: Sequence[int],
              dilation: Sequence[int]) -> list[int]:
    """Padding after the end that gives the sizes of the result, as they are where sizes are rounded up."""
    count = len(kernel)
    assert x.shape is not None
    sizes = known(x.shape[-count:], "ceil_mode for the size")
    results = known(r.shape[-count:], "ceil_mode for the size")
    ends = [(results[i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 - sizes[i] - pads[i] for i in range(count)]
    return [max(end, pad) for end, pad in zip(ends, pads)]


def _max_pool(count: int) -> Any:
    def row(c: Context, r: Sequence[Result], x: Value, kernel: Sequence[int], stride: Sequence[int] = (),
            padding: Sequence[int] = (0,), dilation: Sequence[int] = (1,), ceil_mode: bool = False) -> Any:
        window = pairs(kernel, count)
        steps, pads, dilations = pairs(stride or window, count), pairs(padding, count), pairs(dilation, count)
        ends = _end_pads(x, r[0], window, steps, pads, dilations) if ceil_mode else pads
        whole, was_missing = _batched(c, x, count)
        attributes = {"kernel_shape": window, "strides": steps, "pads": pads + ends, "dilations": dilations}
        if not c.is_used(1):
            return _unbatched(c, c.op("MaxPool", whole, **attributes), was_missing), None
        values, indices = c.ops("MaxPool", whole, dtypes=[x.dtype, "int64"], **attributes)
        assert x.shape is not None
        plane = c.sizes.scalar(1)
        for size in x.shape[-count:]:
            plane = c.op("Mul", plane, c.sizes.scalar(size))
        return _unbatched(c, values, was_missing), _unbatched(c, c.op("Mod", indices, plane), was_missing)

    return row


def _avg_pool(count: int) -> Any:
    def row(c: Context, r: Result, x: Value, kernel: Sequence[int], stride: Sequence[int] = (),
            padding: Sequence[int] = (0,), ceil_mode: bool = False, count_include_pad: bool = True,
            divisor_override: int | None = None) -> Value:
        window = pairs(kernel, count)
        if divisor_override is not None:
            raise Unsupported("avg_pool with divisor_override")
        pads = pairs(padding, count)
        whole, was_missing = _batched(c, x, count)
        pooled = c.op("AveragePool", whole, kernel_shape=window, strides=pairs(stride or window, count), pads=pads + pads,
                      ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad))
        return _unbatched(c, pooled, was_missing)

    return row


def can_pool_adaptively(sizes: Sequence[Dim], results: Sequence[Dim]) -> bool:
    """Whether all windows have one size."""
    return all(isinstance(b, int) and (b == 1 or isinstance(a, int) and a % b == 0) for a, b in zip(sizes, results))


def _adaptive_avg_pool(count: int) -> Any:
    def row(c: Context, r: Result, x: Value, output: Sequence[Dim]) -> Value:
        assert x.shape is not None
        sizes, results = x.shape[-count:], r.shape[-count:]
        if all(it == 1 for it in results):
            return c.op("ReduceMean", x, c.ints(*range(-count, 0)), keepdims=1)
        if not can_pool_adaptively(sizes, results):
            raise Unsupported(f"adaptive pooling from {list(map(str, sizes))} to {list(map(str, results))}")
        window = [a // b for a, b in zip(known(sizes, "pooling"), known(results, "pooling"))]
        whole, was_missing = _batched(c, x, count)
        return _unbatched(c, c.op("AveragePool", whole, kernel_shape=window, strides=window), was_missing)

    return row


for _count in (1, 2, 3):
    operator(f"max_pool{_count}d_with_indices")(_max_pool(_count))
    operator(f"avg_pool{_count}d")(_avg_pool(_count))
    operator(f"_adaptive_avg_pool{_count}d", f"adaptive_avg_pool{_count}d")(_adaptive_avg_pool(_count))


@operator("adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max_pool(c: Context, r: Sequence[Result], x: Value, output: Sequence[Dim]) -> Any:
    assert x.shape is not None
    count = len(output)
    sizes, results = known(x.shape[-count:], "adaptive pooling of"), known(output, "adaptive pooling to")
    if any(a % b for a, b in zip(sizes, results)):
        raise Unsupported(f"adaptive pooling from {sizes} to {results}")
    window = [a // b for a, b in zip(sizes, results)]
    return _max_pool(count)(c, r, x, window)


@operator("_cdist_forward")
def _cdist(c: Context, r: Result, a: Value, b: Value, order: float, mode: int | None) -> Value:
    """Distances of the rows of two matrices."""
    if order not in (1, 2):
        raise Unsupported(f"cdist with p={order}")
    difference = c.op("Sub", c.unsqueeze(a, -2), c.unsqueeze(b, -3))
    return c.op("ReduceL1" if order == 1 else "ReduceL2", difference, c.ints(-1), keepdims=0)


@operator("_native_batch_norm_legit_no_training")
def _batch_norm(c: Context, r: Any, x: Value, weight: Value | None, bias: Value | None, mean: Value, variance: Value,
                momentum: float, eps: float) -> Any:
    scale = weight if weight is not None else c.full(1, Result(mean.dtype, mean.shape or ()))
    shift = bias if bias is not None else c.full(0, Result(mean.dtype, mean.shape or ()))
    return c.op("BatchNormalization", x, scale, shift, mean, variance, epsilon=float(eps)), None, None


@operator("native_layer_norm")
def _layer_norm(c: Context, r: Any, x: Value, shape: Sequence[Dim], weight: Value | None, bias: Value | None,
                eps: float) -> Any:
    scale = weight if weight is not None else c.full(1, Result(x.dtype, tuple(shape)))
    return c.op("LayerNormalization", x, scale, bias, axis=-len(shape), epsilon=float(eps)), None, None


@operator("native_group_norm")
def _group_norm(c: Context, r: Any, x: Value, weight: Value | None, bias: Value | None, batch: Dim, channels: int,
                pixels: Dim, groups: int, eps: float) -> Any:
    scale = weight if weight is not None else c.full(1, Result(x.dtype, (channels,)))
    shift = bias if bias is not None else c.full(0, Result(x.dtype, (channels,)))
    return c.op("GroupNormalization", x, scale, shift, num_groups=int(groups), epsilon=float(eps)), None, None


@operator("_fused_rms_norm")
def _rms_norm(c: Context, r: Any, x: Value, shape: Sequence[Dim], weight: Value | None, eps: float | None) -> Any:
    if eps is None:
        eps = {"float64": 2.0**-52, "float32": 2.0**-23, "bfloat16": 2.0**-7, "float16": 2.0**-10}[x.dtype]
    scale = weight if weight is not None else c.full(1, Result(x.dtype, tuple(shape)))
    return c.op("RMSNormalization", x, scale, axis=-len(shape), epsilon=float(eps)), None


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
