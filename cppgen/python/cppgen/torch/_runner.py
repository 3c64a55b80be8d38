"""Graphs as sessions, which are made when a graph is first called, as only then the values of parameters are known."""
from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from .._errors import Error
from .._session import Session
from ._settings import Options
from ._sizes import Unsupported
from ._translate import Output, Translation, Translator

#: A parameter that has changed so often becomes an input of the model, as compiling takes longer than packing it.
MOST_CHANGES = 4

_STORED_AS = {torch.bfloat16: torch.uint16}
_warned: set[str] = set()


def warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _state(tensor: torch.Tensor) -> tuple[int, int]:
    """What changes when the values of a tensor do: its memory, or its version."""
    return tensor.data_ptr(), 0 if tensor.is_inference() else tensor._version


def _array(value: Any, order: Sequence[int] | None) -> Any:
    """An input of a graph as an input of its model, in the same memory."""
    if not isinstance(value, torch.Tensor):
        return np.array(value, np.int64)
    value = value.detach()
    if value.dtype in _STORED_AS:
        value = value.view(_STORED_AS[value.dtype])
    return (value if order is None else value.permute(order)).numpy()


def _tensor(array: Any, output: Output) -> Any:
    """An output of a model as that of its graph, in the same memory."""
    if output.dtype is None:
        return array.item()
    if output.dtype in _STORED_AS:
        value = torch.from_numpy(array.view(np.uint16)).view(output.dtype)
    else:
        value = torch.from_numpy(array)
    return value if output.order is None else value.permute(output.order)


class Compiled:
    """A translated graph with its session."""

    def __init__(self, translation: Translation, options: Options):
        settings = {"THREADS": torch.get_num_threads(), **options.settings}
        settings.pop("FREEZING", None)
        self._session = Session(translation.model, settings=settings)
        self._inputs = list(zip(translation.arguments, translation.orders))
        self._outputs = translation.outputs
        self._is_single = translation.is_single
        self._has_one = len(self._session.outputs) == 1

    def __call__(self, arguments: Sequence[Any]) -> Any:
        arrays = self._session(*[_array(arguments[index], order) for index, order in self._inputs])
        if self._has_one:
            arrays = (arrays,)
        results = [self._result(it, arrays, arguments) for it in self._outputs]
        return results[0] if self._is_single else results

    @staticmethod
    def _result(output: Output, arrays: Sequence[Any], arguments: Sequence[Any]) -> Any:
        if output.index is not None:
            return _tensor(arrays[output.index], output)
        return arguments[output.argument] if output.argument is not None else output.constant


class Runner:
    """A graph that is compiled when it is first called, and again if a parameter has changed since.

    parameters: the inputs of the graph that are the same tensors in each call. If the graph cannot be compiled, it runs
    eagerly after one warning; with options.strict that is an error."""

    def __init__(self, module: torch.fx.GraphModule, parameters: Sequence[int], options: Options):
        self._module = module
        self._parameters = sorted(parameters) if options.is_freezing else []
        self._changes = {index: 0 for index in self._parameters}
        self._options = options
        self._states: list[tuple[int, int]] = []
        self._call: Callable[[Sequence[Any]], Any] | None = None
        self._lock = threading.Lock()

    def __call__(self, arguments: Sequence[Any]) -> Any:
        states = [_state(arguments[index]) for index in self._parameters]
        call = self._call
        if call is None or states != self._states:
            with self._lock:
                call = self._compiled(arguments)
        return call(arguments)

    def _compiled(self, arguments: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        """Compiles for the parameters as they are now, unless another thread has done so."""
        if self._states and self._call is not None:
            self._count_changes([_state(arguments[index]) for index in self._parameters])
        states = [_state(arguments[index]) for index in self._parameters]
        if self._call is None or states != self._states:
            self._call, self._states = self._make(arguments), states
        return self._call

    def _count_changes(self, states: list[tuple[int, int]]) -> None:
        for index, old, new in zip(list(self._parameters), self._states, states):
            self._changes[index] += old != new
        kept = [at for at, index in enumerate(self._parameters) if self._changes[index] < MOST_CHANGES]
        if len(kept) < len(self._parameters):
            self._parameters = [self._parameters[at] for at in kept]
            self._call = None

    def _make(self, arguments: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        frozen = {index: arguments[index] for index in self._parameters}
        try:
            return Compiled(Translator(self._module, frozen).whole(), self._options)
        except (Error, Unsupported) as error:
            if self._options.strict:
                raise
            warn_once(f"cppgen: a graph runs eagerly, as it could not be compiled: {error}")
            module = self._module
            return lambda arguments: module(*arguments)
