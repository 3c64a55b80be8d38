"""Shapes of the results of fused attention layers, which old versions of PyTorch (2.6) do not know: they could not trace
such a layer with symbolic sizes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


def _encoder_layer(x: torch.Tensor, *arguments: Any, **named: Any) -> torch.Tensor:
    return torch.empty_like(x)


#: By the names of operators of ATen.
_SHAPES: dict[str, Callable[..., Any]] = {"_transformer_encoder_layer_fwd": _encoder_layer}
_library = torch.library.Library("aten", "IMPL")  # what it registers stays as long as it does


def register() -> None:
    """Tells PyTorch the shapes, of operators whose shapes it does not know."""
    for name, shape in _SHAPES.items():
        if not torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", "Meta"):
            _library.impl(name, shape, "Meta")
