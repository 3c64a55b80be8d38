"""The backend of torch.compile."""
from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd

from . import _fused_shapes
from ._decompositions import decompositions
from ._partition import runner_of
from ._runner import warn_once
from ._settings import Options, options_of
from ._sizes import Unsupported

_TRAINING = ("the inputs or parameters of this graph need gradients, which cppgen does not compute; call the model under "
             "torch.no_grad() or torch.inference_mode(), or call requires_grad_(False)")
_fused_shapes.register()


class _Boxed:
    """A function of a list of arguments, as AOTAutograd calls it."""

    _boxed_call = True

    def __init__(self, call: Any):
        self._call = call

    def __call__(self, arguments: list[Any]) -> Any:
        return self._call(arguments)


def _constant_inputs(module: torch.fx.GraphModule) -> list[int]:
    """The inputs that are parameters or buffers, and are not written by the graph."""
    context = torch._guards.TracingContext.try_get()
    metadata = context.fw_metadata if context else None
    if metadata is None:
        return []
    written = {index for index, it in enumerate(metadata.input_info) if it.mutates_data}
    return [index for index in metadata.static_input_indices or [] if index not in written]


def _compile(module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: Options) -> _Boxed:
    return _Boxed(runner_of(module, _constant_inputs(module), options))


@functools.lru_cache(maxsize=1)
def _decompositions() -> dict[Any, Any]:
    return decompositions()


def _needs_gradients(example_inputs: Sequence[Any]) -> bool:
    return torch.is_grad_enabled() and any(isinstance(it, torch.Tensor) and it.requires_grad for it in example_inputs)


def backend(module: torch.fx.GraphModule, example_inputs: Sequence[Any], *, mode: str | None = None,
            options: Mapping[str, Any] | None = None) -> Any:
    """Compiles a graph of Dynamo: `torch.compile(model, backend="cppgen")`.

    mode: "default" or "max-autotune", which tunes the model when it is compiled.
    options: settings of cppgen by their names, or by those of TorchInductor ("cpp.simdlen"); and "strict", with which
    all that would run eagerly is an error.

    UserError: an unknown mode or option."""
    chosen = options_of(mode, options)
    if _needs_gradients(example_inputs) or _needs_gradients(list(module.parameters())):
        if chosen.strict:
            raise Unsupported("cppgen: " + _TRAINING)
        warn_once("cppgen: a graph runs eagerly: " + _TRAINING)
        return module.forward
    compiler = functools.partial(_compile, options=chosen)
    return aot_autograd(fw_compiler=compiler, inference_compiler=compiler, decompositions=_decompositions())(
        module, example_inputs)
