"""The module of ONNX Runtime from which scripts import exceptions, and some of them also options and functions."""
from .._environment import (disable_telemetry_events, enable_telemetry_events, get_all_providers, get_available_providers,
                            get_build_info, get_device, get_version_string, has_collective_ops,
                            set_default_logger_severity, set_default_logger_verbosity, set_seed)
from .._errors import (EPFail, EngineError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, ModelLoaded, NoModel,
                       NoSuchFile, NotFound, NotImplemented, RuntimeException)
from .._options import ExecutionMode, ExecutionOrder, GraphOptimizationLevel, RunOptions, SessionOptions
from .._session import ModelMetadata, SessionIOBinding
from .._types import NodeArg
from .._values import OrtDevice, OrtValue

__all__ = ["EPFail", "EngineError", "ExecutionMode", "ExecutionOrder", "Fail", "GraphOptimizationLevel", "InvalidArgument",
           "InvalidGraph", "InvalidProtobuf", "ModelLoaded", "ModelMetadata", "NoModel", "NoSuchFile", "NodeArg", "NotFound",
           "NotImplemented", "OrtDevice", "OrtValue", "RunOptions", "RuntimeException", "SessionIOBinding", "SessionOptions",
           "disable_telemetry_events", "enable_telemetry_events", "get_all_providers", "get_available_providers",
           "get_build_info", "get_device", "get_version_string", "has_collective_ops", "set_default_logger_severity",
           "set_default_logger_verbosity", "set_seed"]
