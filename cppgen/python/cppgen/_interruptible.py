"""Long calls that Ctrl-C ends."""
from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from . import _cppgen


def run(call: Callable[[], Any], cancel: _cppgen.Cancel) -> Any:
    """Returns what `call` returns. It runs on a thread of its own, so that the main thread, on which Python calls its
    signal handlers, can do so meanwhile. If one raises an exception, such as KeyboardInterrupt, `cancel` ends the call,
    and the exception is raised when it has ended."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    outcome: list[Any] = [None, None]
    done = threading.Event()

    def work() -> None:
        try:
            outcome[0] = call()
        except BaseException as error:  # pylint: disable=broad-except
            outcome[1] = error
        finally:
            done.set()

    thread = threading.Thread(target=work, name="cppgen")
    thread.start()
    try:
        done.wait()
    except BaseException:
        cancel.request()
        thread.join()
        raise
    thread.join()
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
