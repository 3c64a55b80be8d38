"""Operators that compute each element by itself."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._model import Value
from ._promotion import FLOATS
from ._table import Context, Number, Result, operator

Operand = Any  #: a Value or a Number

# What is one operator of ONNX. Integers are converted to the type of the result.
_SAME = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "neg": "Neg",
    "reciprocal": "Reciprocal", "relu": "Relu", "round": "Round", "sigmoid": "Sigmoid", "sin": "Sin",
    "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh", "mish": "Mish",
}  # yapf: disable
_ONLYFLOATS = {"Ceil", "Floor", "Round"}


def _unary(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value) -> Value:
        if onnx in _ONLYFLOATS and r.dtype not in FLOATS:
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
    if x.dtype not in FLOATS:
        return x
    return c.op("Mul", c.op("Sign", x), c.op("Floor", c.op("Abs", x)))


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


@operator("div", "true_divide")
def _div(c: Context, r: Result, a: Operand, b: Operand, rounding_mode: str | None = None) -> Value:
    x, y = c.tensor(a, r.dtype), c.tensor(b, r.dtype)
    if rounding_mode == "floor" and r.dtype in FLOATS:
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
    if r.dtype not in FLOATS:
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


@operator("_to_copy", "to", "convert_element_type")
def _to_copy(c: Context, r: Result, x: Value, *_: Any, **__: Any) -> Value:
    return c.cast(x, r.dtype)


@operator("clone", "alias", "detach", "lift_fresh_copy", "contiguous", "lift_fresh")
def _same(c: Context, r: Result, x: Value, **_: Any) -> Value:
    return x
