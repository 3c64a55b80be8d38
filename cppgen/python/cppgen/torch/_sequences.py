"""Attention and recurrent layers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._model import Value
from ._sizes import Unsupported
from ._table import Context, Result, operator

_LSTM = 2  #: at::native::ideep_lstm's number of the cell
_GATES = (0, 3, 1, 2)  #: ONNX's order (input, output, forget, cell) in that of PyTorch (input, forget, cell, output)


@operator("_scaled_dot_product_flash_attention_for_cpu")
def _attention(c: Context, r: Any, query: Value, key: Value, value: Value, dropout: float = 0.0, is_causal: bool = False,
               *, attn_mask: Value | None = None, scale: float | None = None) -> Any:
    if dropout:
        raise Unsupported("attention with dropout")
    return c.op("Attention", query, key, value, attn_mask, is_causal=int(is_causal),
                scale=None if scale is None else float(scale)), None


def _gates(c: Context, x: Value, size: int) -> Value:
    """The rows of a weight or bias in ONNX's order, with a dimension for directions."""
    parts = [c.slice(x, 0, gate * size, (gate + 1) * size) for gate in _GATES]
    return c.unsqueeze(c.op("Concat", *parts, axis=0), 0)


@operator("mkldnn_rnn_layer")
def _rnn_layer(c: Context, r: Sequence[Result], x: Value, w_input: Value, w_hidden: Value, b_input: Value,
               b_hidden: Value, hidden: Value, cell: Value, reverse: bool, batch_sizes: Sequence[int], mode: int,
               hidden_size: int, layers: int, has_biases: bool, bidirectional: bool, batch_first: bool, train: bool) -> Any:
    """One direction of one layer; x is [time, batch, features]."""
    if mode != _LSTM or batch_sizes or train:
        raise Unsupported(f"mkldnn_rnn_layer with mode={mode}, batch_sizes={batch_sizes}, train={train}")
    bias = None
    if has_biases:
        bias = c.op("Concat", *(_gates(c, it, hidden_size) for it in (b_input, b_hidden)), axis=1)
    states = [c.reshape(it, [1, *r[0].shape[1:2], hidden_size]) for it in (hidden, cell)]
    y, h, last = c.ops("LSTM", x, _gates(c, w_input, hidden_size), _gates(c, w_hidden, hidden_size), bias, None, *states,
                       dtypes=[x.dtype] * 3, hidden_size=int(hidden_size), direction="reverse" if reverse else "forward")
    return c.squeeze(y, 1), c.reshape(h, r[1].shape), c.reshape(last, r[2].shape), None
