"""Values that bindings hold. They are in the memory of this machine's CPU, the only device."""
from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import InvalidArgument, NotImplemented  # pylint: disable=redefined-builtin
from ._types import ELEMENTS, element_name

_NUMPY_OF_ELEMENT = {"float": "float32", "double": "float64"}


class OrtDevice:
    """A device of memory: the CPU."""

    def __init__(self, device_type: str = "cpu", device_id: int = 0):
        require_cpu(device_type)
        self._id = device_id

    @staticmethod
    def make(device_name: str, device_id: int) -> OrtDevice:
        return OrtDevice(device_name, device_id)

    @staticmethod
    def cpu() -> int:
        return 0

    def device_type(self) -> str:
        return "cpu"

    def device_id(self) -> int:
        return self._id


def require_cpu(device_type: Any) -> None:
    if str(device_type).lower() not in ("cpu", "0"):
        raise NotImplemented(f"the device {device_type!r}: cppgen has only cpu")


def dtype_of_element(element_type: Any) -> np.dtype:
    """Of a NumPy type, a number of ONNX's types, or a name such as "float"."""
    if isinstance(element_type, int) and not isinstance(element_type, type):
        if element_type not in ELEMENTS:
            raise InvalidArgument(f"there is no element type {element_type}")
        element_type = ELEMENTS[element_type]
    if isinstance(element_type, str):
        element_type = element_type.removeprefix("tensor(").removesuffix(")")
        return np.dtype(_NUMPY_OF_ELEMENT.get(element_type, element_type))
    return np.dtype(element_type)


def array_at(pointer: int, dtype: np.dtype, shape: Sequence[int]) -> np.ndarray:
    """The memory at an address as an array."""
    size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
    if size == 0:
        return np.empty(shape, dtype)
    memory = memoryview((ctypes.c_char * size).from_address(pointer)).cast("B")
    return np.frombuffer(memory, dtype).reshape(shape)


class OrtValue:
    """A tensor or a sequence of tensors."""

    def __init__(self, content: Any):
        self._content = content

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: Any, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        """Holds the array itself, not a copy."""
        require_cpu(device_type)
        return OrtValue(np.asarray(numpy_obj))

    @staticmethod
    def ortvalue_from_shape_and_type(shape: Sequence[int], element_type: Any, device_type: str = "cpu",
                                     device_id: int = 0) -> OrtValue:
        require_cpu(device_type)
        return OrtValue(np.empty(tuple(shape), dtype_of_element(element_type)))

    @staticmethod
    def from_dlpack(data: Any, is_bool_tensor: bool = False) -> OrtValue:
        array = np.from_dlpack(data)
        return OrtValue(array.view(np.bool_) if is_bool_tensor else array)

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def _tensor(self) -> np.ndarray:
        if not self.is_tensor():
            raise InvalidArgument("the value is a sequence, not a tensor")
        return self._content

    def numpy(self) -> np.ndarray:
        return self._tensor()

    def is_tensor(self) -> bool:
        return isinstance(self._content, np.ndarray)

    def is_tensor_sequence(self) -> bool:
        return isinstance(self._content, list)

    def is_sparse_tensor(self) -> bool:
        return False

    def has_value(self) -> bool:
        return self._content is not None

    def shape(self) -> list[int]:
        return list(self._tensor().shape)

    def data_type(self) -> str:
        dtype = self._tensor().dtype
        return f"tensor({'string' if dtype.kind in 'OUST' else element_name(dtype.name)})"

    def element_type(self) -> int:
        wanted = self.data_type()[7:-1]
        return next(number for number, name in ELEMENTS.items() if name == wanted)

    def device_name(self) -> str:
        return "cpu"

    def data_ptr(self) -> int:
        return self._tensor().ctypes.data

    def tensor_size_in_bytes(self) -> int:
        return self._tensor().nbytes

    def update_inplace(self, np_arr: Any) -> None:
        """Copies the array, which must have the same type and shape, into this value."""
        mine, given = self._tensor(), np.asarray(np_arr)
        if mine.shape != given.shape or mine.dtype != given.dtype:
            raise InvalidArgument(f"the value is {mine.dtype}{list(mine.shape)}, not {given.dtype}{list(given.shape)}")
        np.copyto(mine, given)

    @property
    def content(self) -> Any:
        """The array, the list of arrays, or None."""
        return self._content
