"""What the extension module calls for results that are no plain arrays of numbers."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._errors import UserError
from ._inputs import dtype_of, storage_of


def array_of_strings(shape: tuple[int, ...], strings: list[str]) -> np.ndarray:
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array.reshape(shape)


def maps_of(keys_and_rows: Sequence[np.ndarray]) -> list[dict[Any, float]]:
    """The maps that ZipMap makes: the library has them as the keys that all share, and a row of values for each."""
    keys, rows = keys_and_rows
    names = keys.tolist()
    return [dict(zip(names, row)) for row in rows.reshape(-1, len(names)).tolist()]


def stored(output_name: str, name: str, out: Any) -> np.ndarray:
    """An array that is given for a result, as an array of the bits of its element type."""
    if not isinstance(out, np.ndarray) or out.dtype not in (dtype_of(name), storage_of(name)):
        raise UserError(f"output '{output_name}': out must be a NumPy array of {name}")
    return out.view(storage_of(name))
