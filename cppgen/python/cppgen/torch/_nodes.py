"""What nodes of torch.fx say, in the terms of the table."""
from __future__ import annotations

from typing import Any

import torch

from . import _rows  # noqa: F401: fills the table
from ._layouts import hint, memory_order
from ._model import DTYPES
from ._sizes import Dim, Unsupported, as_dim, same
from ._table import Result, row_of

SYMBOLIC = (torch.SymInt, torch.SymFloat)

#: What these check, cppgen checks itself, or Dynamo does before each call.
ASSERTIONS = {
    "aten._assert_async.msg", "aten._assert_async.default", "aten._assert_scalar.default", "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default",
}  # yapf: disable


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def dim_of(size: Any) -> Dim:
    """An int, or a SymInt or SymFloat as an expression."""
    return as_dim(size.node.expr) if isinstance(size, SYMBOLIC) else size


def result_of(value: Any) -> Any:
    """What a node yields, as the table describes it."""
    if isinstance(value, torch.Tensor):
        return Result(dtype_name(value.dtype), tuple(dim_of(it) for it in value.shape))
    return [result_of(it) for it in value] if isinstance(value, (list, tuple)) else value


def order_of(tensor: torch.Tensor) -> list[int] | None:
    """The order of its dimensions in memory; see `memory_order`."""
    dims, strides = [dim_of(it) for it in tensor.shape], [dim_of(it) for it in tensor.stride()]
    return memory_order(dims, strides, [hint(it) for it in tensor.stride()])


def row_for(node: torch.fx.Node) -> Any:
    """The row of a node's operator. Unsupported: there is none."""
    target = node.target
    if isinstance(target, torch._ops.OpOverload):
        row = row_of(f"{target._schema.name.split('::')[1]}.{target._overloadname}")
        if row is not None:
            return row
    raise Unsupported(f"{target} is not in the table of operators")


def check_tensors(node: torch.fx.Node) -> None:
    """Unsupported: results that cppgen has no tensors for."""
    value = node.meta.get("val")
    for it in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(it, torch.Tensor) and (it.device.type != "cpu" or dtype_name(it.dtype) not in DTYPES or it.is_sparse):
            raise Unsupported(f"tensors of {it.dtype} on {it.device}")


def is_whole(node: torch.fx.Node) -> bool:
    """Whether an as_strided yields its input, but for the strides of dimensions of one element."""
    source, value = node.args[0].meta["val"], node.meta["val"]  # type: ignore[union-attr]
    if [dim_of(it) for it in source.shape] != [dim_of(it) for it in value.shape]:
        return False
    strides = zip(value.shape, source.stride(), value.stride())
    return all(dim_of(size) == 1 or same(dim_of(a), dim_of(b)) for size, a, b in strides)


def bytes_of(tensor: torch.Tensor) -> Any:
    """The elements of a tensor as a buffer, which is its own memory if it is contiguous."""
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy()
