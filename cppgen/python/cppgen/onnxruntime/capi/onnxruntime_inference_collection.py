"""Another module of ONNX Runtime from which packages import its classes."""
from .._session import IOBinding, InferenceSession
from .._values import OrtDevice, OrtValue

__all__ = ["IOBinding", "InferenceSession", "OrtDevice", "OrtValue"]
