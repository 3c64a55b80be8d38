"""What the module says about itself, and settings of the whole process."""
from __future__ import annotations

import logging
import platform
import sys
from typing import Any

from .. import _cppgen
from ._options import PROVIDER

#: The version of ONNX Runtime whose interface this is.
VERSION = "1.23.0"


def get_version_string() -> str:
    return VERSION


def get_build_info() -> str:
    return f"cppgen {_cppgen.version()}, with the interface of ONNX Runtime {VERSION}"


def print_debug_info() -> None:
    """Prints versions, for reports of bugs."""
    print(f"{get_build_info()}\nPython {sys.version}\nplatform: {platform.platform()}")


def get_device() -> str:
    return "CPU"


def get_available_providers() -> list[str]:
    return [PROVIDER]


get_all_providers = get_available_providers


def has_collective_ops() -> bool:
    return False


def set_default_logger_severity(severity: int) -> None:
    """0 verbose, 1 information, 2 warnings, 3 errors, 4 fatal errors: the level of the logger "cppgen"."""
    logging.getLogger("cppgen").setLevel(10 * (severity + 1))


def set_default_logger_verbosity(verbosity: int) -> None:
    """No effect: messages have severities only."""


def set_seed(seed: int) -> None:
    """No effect: random operators have the seeds that the model gives them."""


def preload_dlls(*args: Any, **kwargs: Any) -> None:
    """No effect: there are no libraries of other devices."""


def disable_telemetry_events() -> None:
    """There are none."""


enable_telemetry_events = disable_telemetry_events
