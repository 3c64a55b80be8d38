"""Messages of the libraries go to the logger "cppgen" of Python's logging."""
from __future__ import annotations

import atexit
import logging

from . import _cppgen

logger = logging.getLogger("cppgen")
_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


def _receive(severity: int, message: str) -> None:
    logger.log(_LEVELS[severity], "%s", message)


def level_setting() -> str | None:
    """The value of LOGLEVEL that this logger was set to show; None if nobody set a level that shows more than usual."""
    if logger.level == logging.NOTSET:
        return None
    return {logging.DEBUG: "DEBUG", logging.INFO: "INFO"}.get(logger.level)


def install() -> None:
    _cppgen.set_log(_receive)
    atexit.register(_cppgen.set_log, None)  # later messages would come while the interpreter ends
