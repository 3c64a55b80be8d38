"""What the extension module calls for results that are no plain arrays of numbers."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import UserError
from ._inputs import dtype_of, storage_of


def array_of_strings(shape: tuple[int, ...], strings: list[str]) -> np.ndarray:
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array.reshape(shape)


def stored(output_name: str, name: str, out: Any) -> np.ndarray:
    """An array that is given for a result, as an array of the bits of its element type."""
    if not isinstance(out, np.ndarray) or out.dtype not in (dtype_of(name), storage_of(name)):
        raise UserError(f"output '{output_name}': out must be a NumPy array of {name}")
    return out.view(storage_of(name))
