"""Functions of single elements with parameters, as layers have them."""
from __future__ import annotations

from ._model import Value
from ._promotion import Operand
from ._table import Context, Number, Result, operator


@operator("clamp")
def _clamp(c: Context, r: Result, x: Value, low: Operand = None, high: Operand = None) -> Value:
    scalars = all(it is None or not isinstance(it, Value) or it.shape == () for it in (low, high))
    result = c.cast(x, r.dtype)
    bounds = [None if it is None else c.tensor(it, r.dtype) for it in (low, high)]
    if scalars:
        return c.op("Clip", result, *bounds)
    for onnx, bound in zip(("Max", "Min"), bounds):
        result = c.op(onnx, result, bound) if bound is not None else result
    return result


@operator("hardtanh")
def _hardtanh(c: Context, r: Result, x: Value, low: Number = -1, high: Number = 1) -> Value:
    return _clamp(c, r, x, low, high)


@operator("clamp_min")
def _clamp_min(c: Context, r: Result, x: Value, low: Operand) -> Value:
    return _clamp(c, r, x, low, None)


@operator("clamp_max")
def _clamp_max(c: Context, r: Result, x: Value, high: Operand) -> Value:
    return _clamp(c, r, x, None, high)


@operator("gelu")
def _gelu(c: Context, r: Result, x: Value, approximate: str = "none") -> Value:
    return c.op("Gelu", x, approximate=approximate)


@operator("leaky_relu")
def _leaky_relu(c: Context, r: Result, x: Value, slope: float = 0.01) -> Value:
    return c.op("LeakyRelu", x, alpha=float(slope))


@operator("elu")
def _elu(c: Context, r: Result, x: Value, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Value:
    scaled = x if input_scale == 1 else c.op("Mul", x, c.tensor(input_scale, r.dtype))
    negative = c.op("Elu", scaled, alpha=float(alpha))
    if input_scale != 1:
        negative = c.op("Where", c.op("Greater", x, c.tensor(0, r.dtype), dtype="bool"), x, negative, dtype=r.dtype)
    return negative if scale == 1 else c.op("Mul", negative, c.tensor(scale, r.dtype))


@operator("softplus")
def _softplus(c: Context, r: Result, x: Value, beta: float = 1, threshold: float = 20) -> Value:
    scaled = x if beta == 1 else c.op("Mul", x, c.tensor(beta, r.dtype))
    soft = c.op("Softplus", scaled)
    soft = soft if beta == 1 else c.op("Div", soft, c.tensor(beta, r.dtype))
    is_linear = c.op("Greater", scaled, c.tensor(threshold, r.dtype), dtype="bool")
    return c.op("Where", is_linear, x, soft, dtype=r.dtype)


@operator("prelu", "_prelu_kernel")
def _prelu(c: Context, r: Result, x: Value, slope: Value) -> Value:
    return c.op("PRelu", x, slope)
