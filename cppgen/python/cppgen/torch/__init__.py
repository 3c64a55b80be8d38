"""cppgen as a backend of torch.compile.

    import torch

    compiled = torch.compile(model.eval(), backend="cppgen")
    with torch.inference_mode():
        y = compiled(x)

PyTorch finds the backend by its name where the package cppgen is installed; otherwise pass the function
`cppgen.torch.backend`. docs/torch.md tells what is compiled, and the options."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._sizes import Unsupported

if TYPE_CHECKING:
    from ._backend import backend

__all__ = ["Unsupported", "backend"]


def __getattr__(name: str) -> Any:
    """PyTorch is imported when it is needed: the table of operators is of use without it."""
    if name != "backend":
        raise AttributeError(f"module 'cppgen.torch' has no attribute {name!r}")
    from ._backend import backend as function

    globals()[name] = function
    return function
