"""Options of sessions and runs."""
from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _cppgen
from ._errors import NotImplemented  # pylint: disable=redefined-builtin


PROVIDER = "CPUExecutionProvider"  #: the only one


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class _Fixed:
    """Refuses attributes that the class does not have."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            raise AttributeError(f"cppgen.onnxruntime.{type(self).__name__} has no option {name!r}")
        object.__setattr__(self, name, value)


class SessionOptions(_Fixed):
    """Options of sessions. `intra_op_num_threads`, `enable_profiling`, `log_severity_level`, free dimensions and entries
    named "cppgen.SETTING" have an effect; the others choose between ways of ONNX Runtime that cppgen does not have."""

    intra_op_num_threads = 0
    inter_op_num_threads = 0
    graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    execution_mode = ExecutionMode.ORT_SEQUENTIAL
    execution_order = ExecutionOrder.DEFAULT
    enable_cpu_mem_arena = True
    enable_mem_pattern = True
    enable_mem_reuse = True
    enable_profiling = False
    profile_file_prefix = "onnxruntime_profile_"
    log_severity_level = -1
    log_verbosity_level = 0
    logid = ""
    optimized_model_filepath = ""  #: where sessions write the model, as it is: it is optimised whenever it is loaded
    use_deterministic_compute = False
    use_per_session_threads = True

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}
        self._dims: dict[str, int] = {}
        self._providers: list[tuple[str, dict[str, str]]] = []

    def add_session_config_entry(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"SessionOptions does not have configuration with key: {key}")
        return self._entries[key]

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        self._dims[name] = size

    @property
    def dims(self) -> Mapping[str, int]:
        """What `add_free_dimension_override_by_name` was given."""
        return self._dims

    def add_provider(self, name: str, options: Mapping[str, str]) -> None:
        """As in the argument `providers` of sessions, which is an alternative."""
        self._providers.append((name, dict(options)))

    def has_providers(self) -> bool:
        return bool(self._providers)

    @property
    def providers(self) -> Sequence[Any]:
        """What `add_provider` was given."""
        return tuple(self._providers)

    def register_custom_ops_library(self, path: str) -> None:
        raise NotImplemented(f"{path}: cppgen takes descriptions of custom operators, not libraries: see "
                             "docs/custom_operators.md and the entry cppgen.CUSTOM_OPS")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"cppgen.onnxruntime.SessionOptions has no {name!r}")

    def session_arguments(self) -> dict[str, Any]:
        """The arguments of cppgen.Session."""
        severity = self.log_severity_level
        settings = {key[7:]: value for key, value in self._entries.items() if key.startswith("cppgen.")}
        if severity >= 0:
            settings.setdefault("LOGLEVEL", ("DEBUG", "INFO", "WARNING", "ERROR", "ERROR")[min(severity, 4)])
        return {"threads": self.intra_op_num_threads or None, "profile": bool(self.enable_profiling),
                "settings": settings, "dims": self._dims or None}


class RunOptions(_Fixed):
    """Options of a run. `terminate = True`, by another thread, ends the runs that have these options."""

    log_severity_level = -1
    log_verbosity_level = 0
    logid = ""
    only_execute_path_to_fetches = False

    def __init__(self) -> None:
        self._entries: dict[str, str] = {}
        self._terminate = False
        self._cancel = _cppgen.Cancel()

    @property
    def terminate(self) -> bool:
        return self._terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        self._terminate = bool(value)
        if self._terminate:
            self._cancel.request()
        else:
            self._cancel.reset()

    def add_run_config_entry(self, key: str, value: str) -> None:
        self._entries[str(key)] = str(value)

    def get_run_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise RuntimeError(f"RunOptions does not have configuration with key: {key}")
        return self._entries[key]
