"""mode="max-autotune": the program cppgen tunes a model before it is compiled."""
from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from .._errors import UserError
from .._options import setting_values
from .._program import program

TUNING = ("MAX_AUTOTUNE", "MAX_AUTOTUNE_GEMM", "MAX_AUTOTUNE_POINTWISE")


def is_asked_for(settings: Mapping[str, Any]) -> bool:
    return any(setting_values(settings).get(name, "0") not in ("0", "off", "no", "false") for name in TUNING)


def without_tuning(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the library takes: it uses the results of tunings, and tunes nothing."""
    return {name: value for name, value in settings.items() if name not in TUNING}


def tune(model: bytes, settings: Mapping[str, Any]) -> None:
    """Measures plans for the kernels of the model and stores what is faster in the user's cache. Dimensions that are
    symbolic have the sizes that the program assumes. UserError: the program's message."""
    with tempfile.TemporaryDirectory(prefix="cppgen_torch_") as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(model)
        given = [f"--set={name}={value}" for name, value in setting_values(without_tuning(settings)).items()]
        ended = subprocess.run([program(), "tune", path, *given], capture_output=True, text=True, check=False)
        if ended.returncode:
            raise UserError(f"tuning failed: {ended.stderr.strip()}")
