"""The interface of ONNX Runtime's Python package, above cppgen: scripts change their import only.

    import cppgen.onnxruntime as onnxruntime

    session = onnxruntime.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": x})

What is here behaves as there. Other names of ONNX Runtime raise AttributeError. Settings of cppgen are session options:
`options.add_session_config_entry("cppgen.FPMATH_MODE", "bf16")`."""
from __future__ import annotations

from typing import Any

from ._errors import (EPFail, EngineError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, ModelLoaded, NoModel,
                      NoSuchFile, NotFound, NotImplemented, RuntimeException)
from ._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from ._session import IOBinding, InferenceSession, ModelMetadata, SessionIOBinding
from ._types import NodeArg
from ._values import OrtDevice, OrtValue

#: The version of ONNX Runtime whose interface this is.
__version__ = "1.20.0"


def get_version_string() -> str:
    return __version__


def get_device() -> str:
    return "CPU"


def get_available_providers() -> list[str]:
    return ["CPUExecutionProvider"]


get_all_providers = get_available_providers


def set_default_logger_severity(severity: int) -> None:
    """0 verbose, 1 information, 2 warnings, 3 errors, 4 fatal errors: the level of the logger "cppgen"."""
    import logging

    logging.getLogger("cppgen").setLevel(10 * (severity + 1))


def disable_telemetry_events() -> None:
    """There are none."""


enable_telemetry_events = disable_telemetry_events


def __getattr__(name: str) -> Any:
    raise AttributeError(f"cppgen.onnxruntime has no {name!r}, whether ONNX Runtime has it or not; it has {', '.join(__all__)}")


__all__ = ["ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "ModelMetadata",
           "NodeArg", "OrtDevice", "OrtValue", "RunOptions", "SessionIOBinding", "SessionOptions",
           "disable_telemetry_events", "enable_telemetry_events", "get_all_providers", "get_available_providers",
           "get_device", "get_version_string", "set_default_logger_severity"]
