"""Pooling."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._sizes import Dim, Unsupported
from ._table import Context, Result, known, operator, pairs


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
