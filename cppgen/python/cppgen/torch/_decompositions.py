"""What AOTAutograd decomposes before the translation: PyTorch's core decompositions, without those of operators that the
table has, and a few of fused operators that PyTorch has none for."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, decomposition_table

from . import _rows  # noqa: F401: fills the table
from ._pools import can_pool_adaptively
from ._table import row_of

aten = torch.ops.aten
#: These are about tensors that exist while graphs are traced.
_ALWAYS, _NEVER = {"detach.default"}, {"lift.default", "lift_fresh.default", "alias.default"}
F = torch.nn.functional


def _name(overload: torch._ops.OpOverload) -> str:
    return f"{overload._schema.name.split('::')[1]}.{overload._overloadname}"


def _is_decomposed(name: str) -> bool:
    return name in _ALWAYS or (name not in _NEVER and row_of(name) is None)


def _adaptive(count: int, original: Callable[..., Any]) -> Callable[..., Any]:
    """Decomposes pooling whose windows differ; ONNX has none of that kind."""
    def decomposed(x: torch.Tensor, output: Any) -> Any:
        if can_pool_adaptively(x.shape[-count:], output):
            return NotImplemented
        return original(x, output)

    return decomposed


def _split_heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    """[batch, length, features] to [batch, heads, length, features of a head]"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _mask_of(mask: torch.Tensor | None, mask_type: int | None, x: torch.Tensor) -> torch.Tensor | None:
    """A mask of the fused operators, in which True hides an element, as what is added to scores."""
    if mask is None:
        return None
    if mask_type == 1:  # [batch, length]: padding
        mask = mask[:, None, None, :]
    if mask.dtype == torch.bool:
        mask = torch.zeros(mask.shape, dtype=x.dtype).masked_fill(mask, -math.inf)
    return mask


def _heads(x: torch.Tensor, embedding: int, heads: int, weight: torch.Tensor, bias: torch.Tensor, out_weight: torch.Tensor,
           out_bias: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Self-attention."""
    query, key, value = (_split_heads(it, heads) for it in F.linear(x, weight, bias).split(embedding, -1))
    attended = F.scaled_dot_product_attention(query, key, value, mask)
    return F.linear(attended.transpose(1, 2).flatten(2), out_weight, out_bias)


def _encoder_layer(x: torch.Tensor, embed_dim: int, num_heads: int, qkv_weight: torch.Tensor, qkv_bias: torch.Tensor,
                   proj_weight: torch.Tensor, proj_bias: torch.Tensor, use_gelu: bool, norm_first: bool, eps: float,
                   norm_weight_1: torch.Tensor, norm_bias_1: torch.Tensor, norm_weight_2: torch.Tensor,
                   norm_bias_2: torch.Tensor, ffn_weight_1: torch.Tensor, ffn_bias_1: torch.Tensor,
                   ffn_weight_2: torch.Tensor, ffn_bias_2: torch.Tensor, mask: torch.Tensor | None = None,
                   mask_type: int | None = None) -> torch.Tensor:
    """What nn.TransformerEncoderLayer calls in eval mode."""
    scores = _mask_of(mask, mask_type, x)
    norms = [(norm_weight_1, norm_bias_1), (norm_weight_2, norm_bias_2)]

    def attention(y: torch.Tensor) -> torch.Tensor:
        return _heads(y, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, scores)

    def feed_forward(y: torch.Tensor) -> torch.Tensor:
        hidden = F.linear(y, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(hidden) if use_gelu else F.relu(hidden), ffn_weight_2, ffn_bias_2)

    for layer, (weight, bias) in zip((attention, feed_forward), norms):
        if norm_first:
            x = x + layer(F.layer_norm(x, (embed_dim,), weight, bias, eps))
        else:
            x = F.layer_norm(x + layer(x), (embed_dim,), weight, bias, eps)
    return x


def _multi_head_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, embed_dim: int, num_head: int,
                          qkv_weight: torch.Tensor, qkv_bias: torch.Tensor, proj_weight: torch.Tensor,
                          proj_bias: torch.Tensor, mask: torch.Tensor | None = None, need_weights: bool = True,
                          average_attn_weights: bool = True, mask_type: int | None = None) -> Any:
    """What nn.MultiheadAttention calls in eval mode."""
    if need_weights or query is not key or key is not value:
        return NotImplemented
    result = _heads(query, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias,
                    _mask_of(mask, mask_type, query))
    return result, query.new_empty(0)


def decompositions() -> dict[Any, Callable[..., Any]]:
    """By overloads of operators, as aot_autograd takes them."""
    known = {**decomposition_table, **core_aten_decompositions()}
    kept = {overload: function for overload, function in known.items()
            if isinstance(overload, torch._ops.OpOverload) and _is_decomposed(_name(overload))}
    pool = aten._adaptive_avg_pool2d.default
    if pool in known:
        kept[pool] = _adaptive(2, known[pool])
    kept[aten._transformer_encoder_layer_fwd.default] = _encoder_layer
    kept[aten._native_multi_head_attention.default] = _multi_head_attention
    return kept
