"""The exceptions of ONNX Runtime, where scripts import them from."""
from .._errors import (EPFail, EngineError, Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, ModelLoaded, NoModel,
                       NoSuchFile, NotFound, NotImplemented, RuntimeException)
from .._types import NodeArg

__all__ = ["EPFail", "EngineError", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "ModelLoaded", "NoModel",
           "NoSuchFile", "NodeArg", "NotFound", "NotImplemented", "RuntimeException"]
