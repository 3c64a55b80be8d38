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
