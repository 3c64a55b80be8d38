"""Loaded models."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _cppgen, _inputs, _options
from ._errors import UserError
from ._options import CustomOps, Dims, Model, Progress, Settings, Sizes, States
from ._state import State, StateInfo
from ._tables import Profile, Step


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model."""

    name: str
    kind: str  #: "tensor", "sequence", "optional", "optional sequence" or, only of outputs, "sequence of maps"
    type: str  #: the type of its elements, for maps of the values: "float32", "bfloat16", "str" ...
    #: sizes, or names of sizes that depend on the inputs: (1, "length", "length*2"). None: only a run tells how many.
    shape: tuple[int | str, ...] | None
    keys: str | None = None  #: of maps: the type of the keys, "str" or "int64"

    @property
    def dtype(self) -> np.dtype:
        """The dtype of arrays with these elements. Strings are objects. Types that NumPy lacks are those of the package
        ml_dtypes, or, without it, integers with the same bits."""
        return _inputs.dtype_of(self.type)

    def __str__(self) -> str:
        text = f"{self.name}: {self.type}[{'...' if self.shape is None else ', '.join(map(str, self.shape))}]"
        if self.keys is not None:
            return f"{self.name}: {self.kind} from {self.keys} to {self.type}"
        return text if self.kind == "tensor" else f"{self.name}: {self.kind} of {self.type}"


class Session(_cppgen.Session):
    """A loaded model, which many threads may run at once.

        session = cppgen.Session("model.onnx")
        y = session(x)                       # positional inputs, in the order of the model
        y = session(x=x)                     # named inputs
        session(x, out=y)                    # the result is written to y, which is returned
        results = session.run({"x": x})      # a dict, by the names of the outputs

    A call returns an array if the model has one output, and a tuple of the results otherwise. Tensors are NumPy arrays
    (strings are arrays of str objects), sequences are lists, a sequence of maps, such as the probabilities of a classifier,
    is a list of dicts, and optionals without a value are None. Inputs may be NumPy
    arrays, whose memory is used as it is if it is dense, and whatever has the buffer protocol or DLPack, such as tensors
    of PyTorch. Numbers and lists of numbers take the type of the input; arrays must have it. An input that is a map takes
    a dict. `out` is an array, or a sequence with an array or None for each output.

    Python's other threads run during a call. Results are the same bits for any number of threads."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]

    def __init__(self, model: Any, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
                 settings: Settings = None, custom_ops: CustomOps = None, progress: Progress = None,
                 cancel: _cppgen.Cancel | None = None, threads: int | None = None, profile: bool = False,
                 states: States = None):
        """Loads a package, which is a directory or a `Package`, or compiles a model and loads the result: for `dims`,
        `sizes`, `states`, `progress` and so on, see `compile`.

        threads: that a run uses, including the calling one. Default: one for each physical core of this process.
        profile: measures each step of the model: `profile()`."""
        values = _options.setting_values(settings, isa)
        from ._compile import Package, compile_request
        from ._tuning import tuned_settings

        if isinstance(model, Package):
            source: Any = model._package
        elif isinstance(model, (str, os.PathLike)) and os.path.isdir(model):
            if dims is not None or sizes is not None or states is not None:
                raise UserError(f"{os.fspath(model)} is a package, which is compiled already: it takes no dims, sizes or states")
            source = model
        else:
            settings = tuned_settings(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops,
                                      threads=threads)
            request = _options.request_for(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops,
                                           states=states)
            source = compile_request(request, None, progress, cancel)._package
            values = _options.settings_of_run(values)
        super().__init__(source, *_options.run_options({**values, **_arguments(custom_ops, threads, profile)}))
        self.inputs = tuple(TensorInfo(*it) for it in self._inputs)
        self.outputs = tuple(TensorInfo(*it) for it in self._outputs)

    @property
    def states(self) -> tuple[StateInfo, ...]:
        """The tensors that the model keeps from run to run; runs then take place through `new_state`."""
        return tuple(StateInfo(self.inputs[i].name, self.outputs[o].name, axis, capacity) for i, o, axis, capacity in self._states)

    def new_state(self) -> State:
        """An empty state, for a model that was compiled with `states`."""
        return State(self)

    def run(self, inputs: Mapping[str, Any] | Sequence[Any], *, outputs: Sequence[str] | None = None, out: Any = None,
            cancel: _cppgen.Cancel | None = None) -> dict[str, Any]:
        """Runs the model and returns its results by their names: all, or those that `outputs` names.

        inputs: a dict by name, or a list or tuple in the order of the model.
        out: memory for the results: a dict by name, or as for calls.
        cancel: ends the run from another thread; it then raises Cancelled."""
        if outputs is not None:
            self._require_outputs(outputs, "")
        if out is not None:
            out = self._out_in_order(out)
        if type(inputs) is dict:  # pylint: disable=unidiomatic-typecheck  # the others take longer
            results = self._run((), inputs, out, cancel)
        elif isinstance(inputs, Mapping):
            results = self._run((), dict(inputs), out, cancel)
        elif isinstance(inputs, (list, tuple)):
            results = self._run(tuple(inputs), {}, out, cancel)
        else:
            raise UserError(f"run takes a dict, a list or a tuple of inputs, not {type(inputs).__name__}; a call of the session "
                            "takes the inputs themselves")
        return results if outputs is None else {name: results[name] for name in outputs}

    def _require_outputs(self, names: Iterable[str], what: str) -> None:
        known = [it.name for it in self.outputs]
        for name in names:
            if name not in known:
                raise UserError(f"{what}the model has no output '{name}'; it has {', '.join(map(repr, known))}")

    def _out_in_order(self, out: Any) -> Any:
        if not isinstance(out, Mapping):
            return out
        self._require_outputs(out, "out: ")
        return [out.get(it.name) for it in self.outputs]

    async def run_async(self, inputs: Mapping[str, Any] | Sequence[Any], *, outputs: Sequence[str] | None = None,
                        out: Any = None) -> dict[str, Any]:
        """The same on a thread of the event loop's executor. Cancelling the task ends the run."""
        import asyncio  # which takes a while

        cancel = _cppgen.Cancel()
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(None, lambda: self.run(inputs, outputs=outputs, out=out, cancel=cancel))
        try:
            return await future
        except asyncio.CancelledError:
            cancel.request()
            raise

    def profile(self) -> Profile:
        """The measurements of each step since the session was made, which must have been with profile=True."""
        return Profile([Step(*it) for it in self._steps()])

    def __repr__(self) -> str:
        return f"<cppgen.Session ({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.outputs))})>"


def _arguments(custom_ops: CustomOps, threads: int | None, profile: bool) -> dict[str, str]:
    """Arguments of a session that are settings."""
    settings = {}
    if custom_ops is not None:
        settings["CUSTOM_OPS"] = ":".join(_options.custom_op_paths(custom_ops))
    if threads is not None:
        if threads < 1:
            raise UserError(f"threads is {threads}; allowed is 1 or more")
        settings["THREADS"] = str(threads)
    if profile:
        settings["ENABLE_KERNEL_PROFILE"] = "1"
    return settings
