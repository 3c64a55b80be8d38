"""Operators that compute each element by itself."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._model import Value
from ._sizes import Size
from ._table import Context, Number, Result, operator

Operand = Any  #: a Value or a Number

_WIDTHS = ("uint8", "int8", "int16", "int32", "int64")
_FLOATS = ("float16", "bfloat16", "float32", "float64")

# What is one operator of ONNX. Integers are converted to the type of the result.
_SAME = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "neg": "Neg",
    "reciprocal": "Reciprocal", "relu": "Relu", "round": "Round", "sigmoid": "Sigmoid", "sin": "Sin",
    "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh", "mish": "Mish",
}  # yapf: disable
_ONLY_FLOATS = {"Ceil", "Floor", "Round"}


def _unary(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value) -> Value:
        if onnx in _ONLY_FLOATS and r.dtype not in _FLOATS:
            return c.cast(x, r.dtype)
        return c.op(onnx, c.cast(x, r.dtype))

    return row


for _name, _onnx in _SAME.items():
    operator(_name + ".default")(_unary(_onnx))

# What is a short formula.
_FORMULAS: dict[str, Callable[[Context, Value, Callable[[float], Value]], Value]] = {
    "rsqrt": lambda c, x, n: c.op("Reciprocal", c.op("Sqrt", x)),
    "silu": lambda c, x, n: c.op("Mul", x, c.op("Sigmoid", x)),
    "erfc": lambda c, x, n: c.op("Sub", n(1), c.op("Erf", x)),
    "exp2": lambda c, x, n: c.op("Pow", n(2), x),
    "log2": lambda c, x, n: c.op("Mul", c.op("Log", x), n(1 / math.log(2))),
    "log10": lambda c, x, n: c.op("Mul", c.op("Log", x), n(1 / math.log(10))),
    "log_sigmoid": lambda c, x, n: c.op("Neg", c.op("Softplus", c.op("Neg", x))),
    "trunc": lambda c, x, n: _truncated(c, x),
    "frac": lambda c, x, n: c.op("Sub", x, _truncated(c, x)),
    "sign": lambda c, x, n: c.op("Sub", *(c.cast(c.op(it, x, n(0), dtype="bool"), x.dtype) for it in ("Greater", "Less"))),
    "square": lambda c, x, n: c.op("Mul", x, x),
    "hardswish": lambda c, x, n: c.op("HardSwish", x),
    "hardsigmoid": lambda c, x, n: c.op("HardSigmoid", x, alpha=1 / 6, beta=0.5),
    # tanh(x/2) = (e^x - 1) / (e^x + 1), which is exact near zero
    "expm1": lambda c, x, n: c.op("Mul", c.op("Tanh", c.op("Mul", x, n(0.5))), c.op("Add", c.op("Exp", x), n(1))),
    # log(1 + x) = 2 atanh(x / (x + 2)), which is exact near zero
    "log1p": lambda c, x, n: c.op(
        "Where", c.op("Less", c.op("Abs", x), n(0.5), dtype="bool"),
        c.op("Mul", c.op("Atanh", c.op("Div", x, c.op("Add", x, n(2)))), n(2)), c.op("Log", c.op("Add", x, n(1))),
        dtype=x.dtype),
}


def _formula(function: Callable[..., Value]) -> Callable[..., Value]:
    return lambda c, r, x: function(c, c.cast(x, r.dtype), lambda number: c.tensor(number, r.dtype))


for _name, _function in _FORMULAS.items():
    operator(_name + ".default")(_formula(_function))


def _truncated(c: Context, x: Value) -> Value:
    if x.dtype not in _FLOATS:
        return x
    return c.op("Mul", c.op("Sign", x), c.op("Floor", c.op("Abs", x)))


def _category(dtype: str) -> int:
    return 2 if dtype in _FLOATS else 0 if dtype == "bool" else 1


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
        return "float32" if {low, high} == {"float16", "bfloat16"} else max(low, high, key=_FLOATS.index)
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


# Of two operands: the operator for numbers, and the one for bool.
_ARITHMETIC = {
    "add": ("Add", "Or"), "mul": ("Mul", "And"), "sub": ("Sub", "Xor"), "maximum": ("Max", "Or"), "minimum": ("Min", "And"),
    "bitwise_and": ("BitwiseAnd", "And"), "bitwise_or": ("BitwiseOr", "Or"), "bitwise_xor": ("BitwiseXor", "Xor"),
}  # yapf: disable


def _arithmetic(onnx: str, onnx_of_bool: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, a: Operand, b: Operand, alpha: Number = 1) -> Value:
        x, y = c.tensor(a, r.dtype), c.tensor(b, r.dtype)
        if alpha != 1:
            y = c.op("Mul", y, c.tensor(alpha, r.dtype))
        return c.op(onnx_of_bool if r.dtype == "bool" else onnx, x, y)

    return row


for _name, _operators in _ARITHMETIC.items():
    operator(_name)(_arithmetic(*_operators))


@operator("rsub")
def _rsub(c: Context, r: Result, a: Operand, b: Operand, alpha: Number = 1) -> Value:
    scaled = c.tensor(a, r.dtype)
    if alpha != 1:
        scaled = c.op("Mul", scaled, c.tensor(alpha, r.dtype))
    return c.op("Sub", c.tensor(b, r.dtype), scaled)


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


@operator("div", "true_divide")
def _div(c: Context, r: Result, a: Operand, b: Operand, rounding_mode: str | None = None) -> Value:
    x, y = c.tensor(a, r.dtype), c.tensor(b, r.dtype)
    if rounding_mode == "floor" and r.dtype in _FLOATS:
        return c.op("Floor", c.op("Div", x, y))
    if rounding_mode == "floor":
        return c.op("Div", c.op("Sub", x, c.op("Mod", x, y)), y)
    quotient = c.op("Div", x, y)
    return _truncated(c, quotient) if rounding_mode == "trunc" else quotient


@operator("floor_divide")
def _floor_divide(c: Context, r: Result, a: Operand, b: Operand) -> Value:
    return _div(c, r, a, b, "floor")


@operator("fmod")
def _fmod(c: Context, r: Result, a: Operand, b: Operand) -> Value:
    return c.op("Mod", c.tensor(a, r.dtype), c.tensor(b, r.dtype), fmod=1)


@operator("remainder")
def _remainder(c: Context, r: Result, a: Operand, b: Operand) -> Value:
    """The sign is that of the divisor, which Mod has for integers only."""
    x, y = c.tensor(a, r.dtype), c.tensor(b, r.dtype)
    if r.dtype not in _FLOATS:
        return c.op("Mod", x, y)
    rest, zero = c.op("Mod", x, y, fmod=1), c.tensor(0, r.dtype)
    signs = [c.op("Less", it, zero, dtype="bool") for it in (rest, y)]
    is_other = c.op("And", c.op("Xor", *signs), c.op("Not", c.op("Equal", rest, zero, dtype="bool")))
    return c.op("Where", is_other, c.op("Add", rest, y), rest, dtype=r.dtype)


@operator("pow")
def _pow(c: Context, r: Result, a: Operand, b: Operand) -> Value:
    if isinstance(b, (int, float)) and b == 2:
        x = c.tensor(a, r.dtype)
        return c.op("Mul", x, x)
    return c.op("Pow", c.tensor(a, r.dtype), c.tensor(b, r.dtype))


@operator("atan2")
def _atan2(c: Context, r: Result, a: Value, b: Value) -> Value:
    """atan(y / x), in the other half of the circle where x is negative, and with the sign of y."""
    y, x = c.cast(a, r.dtype), c.cast(b, r.dtype)
    zero, pi = c.tensor(0, r.dtype), c.tensor(math.pi, r.dtype)
    below = c.op("Less", y, zero, dtype="bool")
    turn = c.op("Where", below, c.op("Neg", pi), pi, dtype=r.dtype)
    angle = c.op("Atan", c.op("Div", y, x))
    angle = c.op("Where", c.op("Less", x, zero, dtype="bool"), c.op("Add", angle, turn), angle, dtype=r.dtype)
    both_zero = c.op("And", c.op("Equal", x, zero, dtype="bool"), c.op("Equal", y, zero, dtype="bool"))
    return c.op("Where", both_zero, zero, angle, dtype=r.dtype)


@operator("where")
def _where(c: Context, r: Result, condition: Value, a: Operand, b: Operand) -> Value:
    return c.op("Where", c.cast(condition, "bool"), c.tensor(a, r.dtype), c.tensor(b, r.dtype), dtype=r.dtype)


@operator("masked_fill")
def _masked_fill(c: Context, r: Result, x: Value, mask: Value, number: Operand) -> Value:
    return _where(c, r, mask, number, x)


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


@operator("_to_copy", "to", "convert_element_type")
def _to_copy(c: Context, r: Result, x: Value, *_: Any, **__: Any) -> Value:
    return c.cast(x, r.dtype)


@operator("clone", "alias", "detach", "lift_fresh_copy", "contiguous", "lift_fresh")
def _same(c: Context, r: Result, x: Value, **_: Any) -> Value:
    return x
