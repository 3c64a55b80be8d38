"""Processes that tests start: they end with the test."""
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

WAIT_SECONDS = 120


def program(name):
    """A program of the environment of this interpreter."""
    return os.path.join(os.path.dirname(sys.executable), name)


def free_ports(count):
    """Different numbers of ports that were free a moment ago."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for it in sockets:
            it.bind(("127.0.0.1", 0))
        return [it.getsockname()[1] for it in sockets]


class Processes:
    """Starts processes in a folder, each with a log, and ends them and what they have started."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, *command, cwd=None, **environment):
        log = os.path.join(self.folder, f"process{len(self.running)}.log")
        with open(log, "wb") as file:
            process = subprocess.Popen(command, cwd=cwd or self.folder, env={**os.environ, **environment}, stdout=file,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        process.log = log
        self.running.append(process)
        return process

    def stop(self):
        for process in reversed(self.running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def text_of(process):
    with open(process.log, encoding="utf-8", errors="replace") as file:
        return file.read()


def wait_until(condition, process, seconds=WAIT_SECONDS):
    """Waits for a condition, as long as the process runs; its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        if process.poll() is not None and not condition():
            raise AssertionError(f"{process.args} ended with status {process.returncode}:\n{text_of(process)}")
        time.sleep(0.02)
    raise AssertionError(f"{process.args} is not ready after {seconds} s:\n{text_of(process)}")


def answers(url):
    """Whether a server answers at the address with success."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def finish(process, seconds=300):
    """Waits for the end of a process, which must be success; its output."""
    status = process.wait(seconds)
    assert status == 0, text_of(process)
    return text_of(process)
