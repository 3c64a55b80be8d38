"""The name by which packages import the state."""
from .onnxruntime_pybind11_state import *
from .onnxruntime_pybind11_state import __all__
