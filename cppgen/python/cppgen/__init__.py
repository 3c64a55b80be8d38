"""cppgen compiles ONNX models for CPUs and runs them.

    import cppgen

    session = cppgen.Session("model.onnx")  # compiles the model, or finds it in the cache, and loads it
    y = session(x)                          # NumPy arrays

`compile` writes packages, which run without a compiler; `tune` makes kernels faster on this machine; `check`, `inspect`
and `explain` tell about models; `cppgen.onnxruntime` has the interface of ONNX Runtime, and `cppgen.backend` that of
ONNX's backends."""
from ._cppgen import Cancel, version as _version
from ._errors import Cancelled, Error, InternalError, UserError
from . import _logging
from ._compile import Package, compile
from ._reports import Check, Explanation, Inspection, check, config, explain, inspect
from ._session import Session, TensorInfo
from ._state import State, StateInfo
from ._tables import Profile, Step
from ._tuning import Tuning, tune

__version__ = _version()
__all__ = ["Cancel", "Cancelled", "Check", "Error", "Explanation", "Inspection", "InternalError", "Package", "Profile",
           "Session", "State", "StateInfo", "Step", "TensorInfo", "Tuning", "UserError", "check", "compile", "config", "explain", "inspect", "tune"]

_logging.install()
