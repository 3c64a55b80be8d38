"""Operators that move elements."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._sizes import Dim, Unsupported, as_dim, same
from ._table import Context, Number, Result, axis_of, known, operator

LAST = 2**63 - 1  #: the end of a slice that ends with the dimension


@operator("view", "_unsafe_view", "reshape", "_reshape_alias", "view_copy")
def _view(c: Context, r: Result, x: Value, *_: Any) -> Value:
    if isinstance(_[0], str):
        raise Unsupported("a view with another type of elements")
    return c.reshape(x, r.shape)


@operator("permute")
def _permute(c: Context, r: Result, x: Value, dims: Sequence[int]) -> Value:
    return c.transpose(x, [axis_of(it, x.rank) for it in dims])


@operator("transpose.int")
def _transpose(c: Context, r: Result, x: Value, dim0: int, dim1: int) -> Value:
    order = list(range(x.rank))
    if order:
        a, b = axis_of(dim0, x.rank), axis_of(dim1, x.rank)
        order[a], order[b] = order[b], order[a]
    return c.transpose(x, order)


@operator("t")
def _t(c: Context, r: Result, x: Value) -> Value:
    return c.transpose(x, range(x.rank)[::-1])


@operator("expand")
def _expand(c: Context, r: Result, x: Value, *_: Any, **__: Any) -> Value:
    return c.expand(x, r.shape)


@operator("copy")
def _copy(c: Context, r: Result, x: Value, source: Value, *_: Any) -> Value:
    return c.expand(c.cast(source, r.dtype), r.shape)


@operator("squeeze", "unsqueeze")
def _with_other_ones(c: Context, r: Result, x: Value, dims: Any = None) -> Value:
    assert x.shape is not None
    if len(r.shape) == x.rank:
        return x
    axes = [dims] if isinstance(dims, int) else dims
    if len(r.shape) == x.rank + 1:
        return c.unsqueeze(x, axis_of(axes[0], x.rank + 1))
    candidates = range(x.rank) if axes is None else [axis_of(it, x.rank) for it in axes]
    return c.squeeze(x, *(it for it in candidates if x.shape[it] == 1))


@operator("cat")
def _cat(c: Context, r: Result, tensors: Sequence[Value], dim: int = 0) -> Value:
    axis = axis_of(dim, len(r.shape))
    parts = [c.cast(it, r.dtype) for it in tensors if it.shape != (0,) or len(r.shape) == 1]  # (0,) goes with any shape
    return parts[0] if len(parts) == 1 else c.op("Concat", *parts, axis=axis)


@operator("stack")
def _stack(c: Context, r: Result, tensors: Sequence[Value], dim: int = 0) -> Value:
    axis = axis_of(dim, len(r.shape))
    return c.op("Concat", *(c.unsqueeze(c.cast(it, r.dtype), axis) for it in tensors), axis=axis)


@operator("split_with_sizes", "split.Tensor", "unsafe_split.Tensor", "unsafe_split_with_sizes", "split_with_sizes_copy")
def _split(c: Context, r: Sequence[Result], x: Value, sizes: Any, dim: int = 0) -> list[Value]:
    axis = axis_of(dim, x.rank)
    if len(r) == 1:
        return [x]
    lengths = c.sizes.vector([it.shape[axis] for it in r])
    return c.ops("Split", x, lengths, dtypes=[x.dtype] * len(r), axis=axis)


@operator("unbind")
def _unbind(c: Context, r: Sequence[Result], x: Value, dim: int = 0) -> list[Value]:
    return [_select(c, it, x, dim, index) for index, it in enumerate(r)]


@operator("slice.Tensor")
def _slice(c: Context, r: Result, x: Value, dim: int = 0, start: Dim | None = None, end: Dim | None = None,
           step: int = 1) -> Value:
    assert x.shape is not None
    axis = axis_of(dim, x.rank)
    if same(r.shape[axis], x.shape[axis]):
        return x
    return c.slice(x, axis, 0 if start is None else start, LAST if end is None else end, known([step], "a step")[0])


@operator("select.int")
def _select(c: Context, r: Result, x: Value, dim: int, index: Dim) -> Value:
    return c.op("Gather", x, c.sizes.scalar(index), axis=axis_of(dim, x.rank))


@operator("slice_scatter")
def _slice_scatter(c: Context, r: Result, x: Value, source: Value, dim: int = 0, start: Dim | None = None,
                   end: Dim | None = None, step: int = 1) -> Value:
    assert x.shape is not None and source.shape is not None
    axis = axis_of(dim, x.rank)
    source = c.cast(source, x.dtype)
    if same(source.shape[axis], x.shape[axis]):
        return source
    if step != 1:
        raise Unsupported("slice_scatter with a step")
    begin = 0 if start is None else start
    if isinstance(begin, int) and begin < 0:
        begin = as_dim(getattr(x.shape[axis], "expression", x.shape[axis]) + begin)
    after = as_dim(getattr(begin, "expression", begin) + getattr(source.shape[axis], "expression", source.shape[axis]))
    parts = [] if begin == 0 else [c.slice(x, axis, 0, begin)]
    parts.append(source)
    if not same(after, x.shape[axis]):
        parts.append(c.slice(x, axis, after, LAST))
    return c.op("Concat", *parts, axis=axis)


@operator("select_scatter")
def _select_scatter(c: Context, r: Result, x: Value, source: Value, dim: int, index: Dim) -> Value:
    assert x.shape is not None
    axis = axis_of(dim, x.rank)
    shape = tuple(1 if it == axis else size for it, size in enumerate(x.shape))
    wide = Value(c.unsqueeze(source, axis).name, source.dtype, shape)
    return _slice_scatter(c, r, x, wide, axis, index)


@operator("repeat")
def _repeat(c: Context, r: Result, x: Value, repeats: Sequence[Dim]) -> Value:
    assert x.shape is not None
    missing = len(repeats) - x.rank
    if missing:
        x = c.reshape(x, [1] * missing + list(x.shape))
    return c.op("Tile", x, c.sizes.vector(repeats))


@operator("flip")
def _flip(c: Context, r: Result, x: Value, dims: Sequence[int]) -> Value:
    count = len(dims)
    axes = c.ints(*(axis_of(it, x.rank) for it in dims))
    return c.op("Slice", x, c.ints(*[-1] * count), c.ints(*[-LAST] * count), axes, c.ints(*[-1] * count)) if count else x


def _pads(rank: int, pads: Sequence[Dim]) -> list[Dim]:
    """Pads of the last dimensions first, in pairs, as those of ONNX: of all begins, then of all ends."""
    begins: list[Dim] = [0] * rank
    ends: list[Dim] = [0] * rank
    for position in range(len(pads) // 2):
        begins[rank - 1 - position] = pads[2 * position]
        ends[rank - 1 - position] = pads[2 * position + 1]
    return begins + ends


@operator("constant_pad_nd")
def _constant_pad(c: Context, r: Result, x: Value, pads: Sequence[Dim], number: Number = 0) -> Value:
    rank = x.rank
    both = _pads(rank, pads)
    for axis in range(rank):
        begin, end = both[axis], both[axis + rank]
        cut = [isinstance(it, int) and it < 0 for it in (begin, end)]
        if any(cut):
            x = c.slice(x, axis, -begin if cut[0] else 0, end if cut[1] else LAST)  # type: ignore[operator]
            both[axis], both[axis + rank] = 0 if cut[0] else begin, 0 if cut[1] else end
    if all(it == 0 for it in both):
        return x
    return c.op("Pad", x, c.sizes.vector(both), c.tensor(number, x.dtype))


def _edge_pad(mode: str) -> Any:
    return lambda c, r, x, pads: c.op("Pad", x, c.sizes.vector(_pads(x.rank, pads)), mode=mode)


operator("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")(_edge_pad("reflect"))
operator("replication_pad1d", "replication_pad2d", "replication_pad3d")(_edge_pad("edge"))


def _triangle(upper: int) -> Any:
    return lambda c, r, x, diagonal=0: c.op("Trilu", x, c.tensor(diagonal, "int64"), upper=upper)


operator("tril")(_triangle(0))
operator("triu")(_triangle(1))


@operator("diagonal")
def _diagonal(c: Context, r: Result, x: Value, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Value:
    """Elements of the two dimensions, made one, at equal distances."""
    assert x.shape is not None
    a, b = axis_of(dim1, x.rank), axis_of(dim2, x.rank)
    rows, columns = known([x.shape[a], x.shape[b]], "the diagonal of a matrix of the size")
    others = [it for it in range(x.rank) if it not in (a, b)]
    flat = c.transpose(x, others + [a, b])
    flat = c.reshape(flat, [x.shape[it] for it in others] + [rows * columns])
    first = offset if offset >= 0 else -offset * columns
    count = r.shape[-1]
    assert isinstance(count, int)
    indices = [first + step * (columns + 1) for step in range(count)]
    return c.op("Gather", flat, c.ints(*indices), axis=len(others))
