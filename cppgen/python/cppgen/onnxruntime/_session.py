"""InferenceSession and IOBinding."""
from __future__ import annotations

import logging
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _session
from .._compile import Package
from .._errors import Cancelled, Error, InternalError, UserError
from ._errors import Fail, InvalidArgument, InvalidProtobuf, NoSuchFile, NotImplemented, RuntimeException  # pylint: disable=redefined-builtin
from ._options import PROVIDER, RunOptions, SessionOptions
from ._profile import write_profile
from ._types import NodeArg, declared_types, element_name, has_external_data
from ._values import OrtValue, array_at, dtype_of_element, require_cpu


class ModelMetadata:
    """What a model's file says about the model."""

    def __init__(self, metadata: Mapping[str, str]):
        self.producer_name = metadata.get("producer_name", "")
        self.graph_name = metadata.get("graph_name", "")
        self.domain = metadata.get("domain", "")
        self.description = metadata.get("doc_string", "")
        self.graph_description = metadata.get("graph_doc_string", "")
        self.version = int(metadata.get("model_version", "0") or 0)
        self.custom_metadata_map = {key[9:]: value for key, value in metadata.items() if key.startswith("metadata:")}


def _write_model(model: Any, path: str, destination: str) -> None:
    """Writes a model to a file, or copies the file at `path`, if it is not empty."""
    if os.path.isdir(path):
        raise NotImplemented(f"{path} is a package, not a model that could be written to {destination}")
    folders = [os.path.dirname(os.path.realpath(it)) for it in (path, destination)]
    if path and folders[0] != folders[1] and has_external_data(path):
        raise NotImplemented(f"the weights of {path} are in files beside it, so it cannot be written to {destination}")
    if not path:
        with open(destination, "wb") as file:
            file.write(model)
    elif not os.path.exists(destination) or not os.path.samefile(path, destination):
        shutil.copyfile(path, destination)


class InferenceSession:
    """A model, which is compiled (or found in the cache) and loaded. Several threads may call `run` at once."""

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None,
                 providers: Sequence[Any] | None = None, provider_options: Sequence[Mapping[Any, Any]] | None = None,
                 **kwargs: Any):
        self._options = sess_options or SessionOptions()
        for provider in (*(providers or ()), *self._options.providers):
            name = provider if isinstance(provider, str) else provider[0]
            if name != PROVIDER:
                logging.getLogger("cppgen").info("the provider %s is not available; the model runs on the CPU", name)
        is_bytes = isinstance(path_or_bytes, (bytes, bytearray, memoryview))
        if not is_bytes and not isinstance(path_or_bytes, (str, os.PathLike, Package)):
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        self._model_path = "" if is_bytes else os.fspath(path_or_bytes)
        if not is_bytes and not os.path.exists(self._model_path):
            raise NoSuchFile(f"Load model from {self._model_path} failed. File doesn't exist")
        self._session = self._load(path_or_bytes, is_bytes)
        self._start = time.perf_counter_ns()
        self._describe(path_or_bytes, is_bytes)
        if self._options.optimized_model_filepath:
            _write_model(path_or_bytes, self._model_path, self._options.optimized_model_filepath)

    def _load(self, model: Any, is_bytes: bool) -> _session.Session:
        try:
            return _session.Session(model, **self._options.session_arguments())
        except Cancelled as error:
            raise Fail(str(error)) from error
        except UserError as error:
            raise _kind_of_refusal(str(error))(str(error)) from error
        except InternalError as error:
            raise RuntimeException(str(error)) from error

    def _describe(self, model: Any, is_bytes: bool) -> None:
        session = self._session
        is_model = is_bytes or not os.path.isdir(self._model_path)
        inputs, outputs = declared_types(model) if is_model else ([], [])
        known = {it.name: it for it in (*session.inputs, *session.outputs)}
        names, dims = [it.name for it in session.inputs], self._options.dims
        self._inputs = [_node_arg(it, known, dims) for it in inputs if it[0] in names or it[0] + ".keys" in names]
        self._outputs = [_node_arg(it, known, dims) for it in outputs]
        if not is_model:
            self._inputs = [_node_arg_of(it) for it in session.inputs]
            self._outputs = [_node_arg_of(it) for it in session.outputs]
        self._output_names = [it.name for it in self._outputs]
        self._required = [it.name for it in self._inputs if not it.type.startswith("optional(")]

    def get_inputs(self) -> list[NodeArg]:
        return self._inputs

    def get_outputs(self) -> list[NodeArg]:
        return self._outputs

    def get_overridable_initializers(self) -> list[NodeArg]:
        return []

    def get_modelmeta(self) -> ModelMetadata:
        return ModelMetadata(self._session.metadata)

    def get_session_options(self) -> SessionOptions:
        return self._options

    def get_providers(self) -> list[str]:
        return [PROVIDER]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {PROVIDER: {}}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """The CPU is the only provider."""

    def disable_fallback(self) -> None:
        """There is none."""

    enable_fallback = disable_fallback

    @property
    def cppgen_session(self) -> _session.Session:
        """The session of cppgen behind this one, with its profile and so on."""
        return self._session

    def end_profiling(self) -> str:
        """Writes the times of all steps to a JSON file, whose name it returns; "" without `enable_profiling`."""
        if not self._options.enable_profiling:
            return ""
        return write_profile(self._options.profile_file_prefix, self._session.profile())

    def get_profiling_start_time_ns(self) -> int:
        """When the session was made, in nanoseconds of time.perf_counter_ns(); 0 without `enable_profiling`."""
        return self._start if self._options.enable_profiling else 0

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
            run_options: RunOptions | None = None) -> list[Any]:
        """The outputs of these names, or all (None): arrays; lists for sequences, and lists of dicts for maps."""
        return self._results(output_names, input_feed, None, run_options)

    def run_async(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
                  callback: Callable[[list[Any], Any, str], Any], user_data: Any, run_options: RunOptions | None = None) -> None:
        """Runs on a thread of its own, which then calls callback(outputs, user_data, error or "")."""
        import threading

        def work() -> None:
            try:
                results, message = self.run(output_names, input_feed, run_options), ""
            except Exception as error:  # pylint: disable=broad-except
                results, message = [], str(error)
            callback(results, user_data, message)

        threading.Thread(target=work, name="cppgen run_async").start()

    def run_with_ort_values(self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: RunOptions | None = None) -> list[OrtValue]:
        feed = {name: value.content for name, value in input_dict_ort_values.items()}
        return [OrtValue(it) for it in self._results(output_names, feed, None, run_options)]

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Reads the inputs and writes the outputs of the binding."""
        iobinding.store(self._results(iobinding.output_names, iobinding.inputs, iobinding.memory, run_options))

    def _results(self, output_names: Sequence[str] | None, feed: Mapping[str, Any], memory: Mapping[str, np.ndarray] | None,
                 run_options: RunOptions | None) -> list[Any]:
        for name in output_names or ():
            if name not in self._output_names:
                raise InvalidArgument(f"Invalid Output Name:{name}; the model has {self._output_names}")
        out = [memory.get(name) for name in self._output_names] if memory else None
        cancel = run_options._cancel if run_options else None
        try:
            results = self._session._run((), feed if type(feed) is dict else dict(feed), out, cancel)
        except Error as error:
            raise self._error_of(error, feed) from error
        return [results[name] for name in output_names or self._output_names]

    def _error_of(self, error: Error, feed: Mapping[str, Any]) -> Exception:
        """The exception that ONNX Runtime raises instead of this one."""
        missing = [name for name in self._required if name not in feed]
        if isinstance(error, Cancelled):
            return Fail("Exiting due to terminate flag being set to true.")
        if isinstance(error, UserError) and missing:
            return ValueError(f"Required inputs ({missing}) are missing from input feed ({list(feed)}).")
        return InvalidArgument(str(error)) if isinstance(error, UserError) else RuntimeException(str(error))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"cppgen.onnxruntime.InferenceSession has no {name!r}")


def _kind_of_refusal(message: str) -> type[Exception]:
    """The class of the exception that ONNX Runtime raises for a model that it does not load."""
    if "the file is empty" in message or "it has no graph" in message:
        return InvalidArgument
    if "not an ONNX model" in message:
        return InvalidProtobuf
    return NotImplemented if "not support" in message else Fail


def _node_arg_of(info: _session.TensorInfo) -> NodeArg:
    tensor = f"tensor({element_name(info.type)})"
    kinds = {"tensor": "{}", "sequence": "seq({})", "optional": "optional({})", "optional sequence": "optional(seq({}))",
             "sequence of maps": f"seq(map({element_name(info.keys or '')},{{}}))"}
    return NodeArg(info.name, kinds[info.kind].format(tensor), list(info.shape or ()))


def _node_arg(declared: tuple[str, str, Any], known: Mapping[str, _session.TensorInfo], dims: Mapping[str, int]) -> NodeArg:
    """`dims` has the sizes of free dimensions that the session's options state."""
    name, kind, shape = declared
    if kind == "undefined" and name in known:
        return _node_arg_of(known[name])
    if shape is None and name in known:
        shape = list(known[name].shape or ())
    return NodeArg(name, kind, [dims.get(it, it) for it in shape or []])


class IOBinding:
    """Memory for the inputs and outputs of runs. Outputs without memory get new arrays in each run."""

    def __init__(self, session: InferenceSession):
        self.inputs: dict[str, Any] = {}
        self.output_names: list[str] = []
        self.memory: dict[str, np.ndarray] = {}
        self._values: dict[str, OrtValue] = {}
        self._results: list[OrtValue] = []
        self._of_inputs = {it.name for it in session.get_inputs()}
        self._of_outputs = {it.name for it in session.get_outputs()}

    def _require(self, name: str, names: set[str], what: str) -> None:
        if name not in names:
            raise InvalidArgument(f"the model has no {what} {name!r}; it has {sorted(names)}")

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        self._require(name, self._of_inputs, "input")
        self.inputs[name] = arr_on_cpu

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int],
                   buffer_ptr: int) -> None:
        """The memory at an address, which must stay valid."""
        require_cpu(device_type)
        self.bind_cpu_input(name, array_at(buffer_ptr, dtype_of_element(element_type), shape))

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        self.bind_cpu_input(name, ortvalue.content)

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Sequence[int] | None = None, buffer_ptr: int | None = None) -> None:
        require_cpu(device_type)
        if buffer_ptr is None:
            self._bind_output(name, None)
        else:
            self._bind_output(name, OrtValue(array_at(buffer_ptr, dtype_of_element(element_type), shape or ())))

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._bind_output(name, ortvalue)

    def _bind_output(self, name: str, value: OrtValue | None) -> None:
        self._require(name, self._of_outputs, "output")
        if name not in self.output_names:
            self.output_names.append(name)
        self.memory.pop(name, None)
        self._values.pop(name, None)
        if value is not None:
            self.memory[name] = value.numpy()
            self._values[name] = value

    def store(self, results: Sequence[Any]) -> None:
        self._results = [self._values.get(name) or OrtValue(result) for name, result in zip(self.output_names, results)]

    def get_outputs(self) -> list[OrtValue]:
        return self._results

    def copy_outputs_to_cpu(self) -> list[Any]:
        return [value.content for value in self._results]

    def clear_binding_inputs(self) -> None:
        self.inputs.clear()

    def clear_binding_outputs(self) -> None:
        self.output_names.clear()
        self.memory.clear()
        self._values.clear()
        self._results = []

    def synchronize_inputs(self) -> None:
        """All memory is the CPU's."""

    synchronize_outputs = synchronize_inputs


SessionIOBinding = IOBinding
