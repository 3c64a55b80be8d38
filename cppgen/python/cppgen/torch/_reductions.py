"""Reductions, and what else works along dimensions: softmax, sums of prefixes, sorting."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ._model import Value
from ._sizes import Unsupported, as_dim, product
from ._table import Context, Number, Result, axis_of, operator

Axes = Sequence[int] | int | None


def _axes(x: Value, dims: Axes) -> list[int]:
    """Which dimensions are reduced; none means all."""
    if dims is None or (not isinstance(dims, int) and len(dims) == 0):
        return list(range(x.rank))
    return [axis_of(it, x.rank) for it in ([dims] if isinstance(dims, int) else dims)]


def reduce(c: Context, onnx: str, x: Value, dims: Axes, keepdim: bool) -> Value:
    axes = _axes(x, dims)
    if x.rank == 0:
        return x
    return c.op(onnx, x, c.ints(*axes), keepdims=int(keepdim))


def _reduction(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value, dim: Axes = None, keepdim: bool = False, dtype: str | None = None) -> Value:
        return reduce(c, onnx, c.cast(x, r.dtype), dim, keepdim)

    return row


for _names, _onnx in ((("sum",), "ReduceSum"), (("mean",), "ReduceMean"), (("amax",), "ReduceMax"), (("amin",), "ReduceMin"),
                      (("prod",), "ReduceProd"), (("logsumexp",), "ReduceLogSumExp"),
                      (("max.default",), "ReduceMax"), (("min.default",), "ReduceMin")):
    operator(*_names)(_reduction(_onnx))


def _truth(onnx: str) -> Callable[..., Value]:
    """any and all, as the maximum and minimum of 0 and 1."""
    def row(c: Context, r: Result, x: Value, dim: Axes = None, keepdim: bool = False) -> Value:
        bits = c.cast(c.cast(x, "bool"), "uint8")
        return c.cast(reduce(c, onnx, bits, dim, keepdim), r.dtype)

    return row


operator("any")(_truth("ReduceMax"))
operator("all")(_truth("ReduceMin"))


def _where_extreme(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
        if x.rank == 0:
            return c.tensor(0, "int64")
        if dim is None:
            x, dim, keepdim = c.reshape(x, [-1]), 0, False
        return c.op(onnx, x, dtype="int64", axis=axis_of(dim, x.rank), keepdims=int(keepdim))

    return row


operator("argmax")(_where_extreme("ArgMax"))
operator("argmin")(_where_extreme("ArgMin"))


def _with_position(reduction: str, position: str) -> Callable[..., Any]:
    def row(c: Context, r: Sequence[Result], x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        return reduce(c, reduction, x, dim, keepdim), _where_extreme(position)(c, r[1], x, dim, keepdim)

    return row


operator("max.dim")(_with_position("ReduceMax", "ArgMax"))
operator("min.dim")(_with_position("ReduceMin", "ArgMin"))


def _variance(c: Context, x: Value, dims: Axes, correction: Number | None, keepdim: bool) -> tuple[Value, Value]:
    """The variance, and the mean with the reduced dimensions kept."""
    axes = _axes(x, dims)
    mean = reduce(c, "ReduceMean", x, axes, True)
    difference = c.op("Sub", x, mean)
    squares = reduce(c, "ReduceSum", c.op("Mul", difference, difference, shape=x.shape), axes, keepdim)
    correction = 1 if correction is None else correction
    assert x.shape is not None
    count = product([x.shape[axis] for axis in axes])
    divisor = as_dim(getattr(count, "expression", count) - int(correction))
    if correction != int(correction):
        raise Unsupported(f"a variance with the correction {correction}")
    return c.op("Div", squares, c.tensor(divisor, x.dtype)), mean


@operator("var.correction")
def _var(c: Context, r: Result, x: Value, dim: Axes = None, *, correction: Number | None = None,
         keepdim: bool = False) -> Value:
    return _variance(c, x, dim, correction, keepdim)[0]


@operator("var_mean.correction")
def _var_mean(c: Context, r: Any, x: Value, dim: Axes = None, *, correction: Number | None = None,
              keepdim: bool = False) -> tuple[Value, Value]:
    variance, mean = _variance(c, x, dim, correction, keepdim)
    return variance, mean if keepdim or x.rank == 0 else c.squeeze(mean, *_axes(x, dim))


@operator("linalg_vector_norm")
def _norm(c: Context, r: Result, x: Value, order: Number = 2, dim: Axes = None, keepdim: bool = False,
          dtype: str | None = None) -> Value:
    kinds = {1: "ReduceL1", 2: "ReduceL2"}
    x = c.cast(x, r.dtype)
    if order in kinds:
        return reduce(c, kinds[order], x, dim, keepdim)
    if abs(order) == float("inf"):
        return reduce(c, "ReduceMax" if order > 0 else "ReduceMin", c.op("Abs", x, shape=x.shape), dim, keepdim)
    if order == 0:
        raise Unsupported("a norm of order 0")
    powers = c.op("Pow", c.op("Abs", x), c.tensor(order, r.dtype), shape=x.shape)
    return c.op("Pow", reduce(c, "ReduceSum", powers, dim, keepdim), c.tensor(1 / order, r.dtype))


def _softmax(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value, dim: int, half_to_float: bool = False) -> Value:
        return c.op(onnx, c.cast(x, r.dtype), axis=axis_of(dim, x.rank)) if x.rank else row_of_scalar(c, r, onnx)

    def row_of_scalar(c: Context, r: Result, kind: str) -> Value:
        return c.tensor(1 if kind == "Softmax" else 0, r.dtype)

    return row


operator("_softmax")(_softmax("Softmax"))
operator("_log_softmax")(_softmax("LogSoftmax"))


def _prefix(onnx: str) -> Callable[..., Value]:
    def row(c: Context, r: Result, x: Value, dim: int, dtype: str | None = None) -> Value:
        x = c.cast(x, r.dtype)
        return c.op(onnx, x, c.model.constant(axis_of(dim, x.rank), "int64")) if x.rank else x

    return row


operator("cumsum")(_prefix("CumSum"))
operator("cumprod")(_prefix("CumProd"))


def _ordered(c: Context, x: Value, count: Any, dim: int, largest: bool, is_sorted: bool) -> tuple[Value, Value]:
    if x.rank == 0:
        return x, c.tensor(0, "int64")
    values = c.ops("TopK", x, c.sizes.vector([count]), dtypes=[None, "int64"], axis=axis_of(dim, x.rank),
                   largest=int(largest), sorted=int(is_sorted))
    return values[0], values[1]


@operator("topk")
def _topk(c: Context, r: Any, x: Value, k: Any, dim: int = -1, largest: bool = True, is_sorted: bool = True) -> Any:
    return _ordered(c, x, k, dim, largest, is_sorted)


@operator("sort.default")
def _sort(c: Context, r: Any, x: Value, dim: int = -1, descending: bool = False) -> Any:
    return _ordered(c, x, x.shape[axis_of(dim, x.rank)] if x.shape else 1, dim, descending, True)


@operator("sort.stable")
def _stable_sort(c: Context, r: Any, x: Value, *, stable: bool | None = None, dim: int = -1, descending: bool = False) -> Any:
    return _sort(c, r, x, dim, descending)
