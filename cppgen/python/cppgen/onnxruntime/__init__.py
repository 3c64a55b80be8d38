"""The interface of ONNX Runtime's Python package, above cppgen: scripts change their import only.

    import cppgen.onnxruntime as onnxruntime

    session = onnxruntime.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": x})

`install()`, or `python -m cppgen.onnxruntime SCRIPT.py`, does the same for programs that are not to be changed. What is
here behaves as there. Other names of ONNX Runtime raise AttributeError. Settings of cppgen are session options:
`options.add_session_config_entry("cppgen.FPMATH_MODE", "bf16")`."""
from __future__ import annotations

from typing import Any

from ._environment import (VERSION as __version__, disable_telemetry_events, enable_telemetry_events, get_all_providers,
                           get_available_providers, get_build_info, get_device, get_version_string, has_collective_ops,
                           preload_dlls, print_debug_info, set_default_logger_severity, set_default_logger_verbosity,
                           set_seed)
from ._errors import (EPFail, EngineError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, ModelLoaded, NoModel,
                      NoSuchFile, NotFound, NotImplemented, RuntimeException)
from ._install import install
from ._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._session import IOBinding, InferenceSession, ModelMetadata, SessionIOBinding
from ._types import NodeArg
from ._values import OrtDevice, OrtValue


def __getattr__(name: str) -> Any:
    raise AttributeError(f"cppgen.onnxruntime has no {name!r}, whether ONNX Runtime has it or not; it has {', '.join(__all__)}")


__all__ = ["ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "ModelMetadata",
           "NodeArg", "OrtDevice", "OrtValue", "RunOptions", "SessionIOBinding", "SessionOptions",
           "disable_telemetry_events", "enable_telemetry_events", "get_all_providers", "get_available_providers",
           "get_build_info", "get_device", "get_version_string", "has_collective_ops", "install", "preload_dlls",
           "print_debug_info", "set_default_logger_severity", "set_default_logger_verbosity", "set_seed"]
