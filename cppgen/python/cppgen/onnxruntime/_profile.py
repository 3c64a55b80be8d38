"""Profiles in the format of ONNX Runtime's files: a JSON list of events, which chrome://tracing and Perfetto show."""
from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from typing import Any

from .._tables import Step
from ._options import PROVIDER


def _event(category: str, name: str, start: int, duration: int, args: dict[str, str]) -> dict[str, Any]:
    return {"cat": category, "pid": os.getpid(), "tid": os.getpid(), "ts": start, "dur": duration, "ph": "X", "name": name,
            "args": args}


def _events(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """One event for each step that ran, in their order. Times are microseconds, and sums over all runs, because cppgen
    does not keep the times of single runs."""
    events = []
    now = 0
    for index, step in enumerate(steps):
        duration = round(step.seconds * 1e6)
        if step.calls:
            args = {"op_name": step.nodes or step.name, "provider": PROVIDER, "node_index": str(index), "engine": step.engine,
                    "calls": str(step.calls)}
            events.append(_event("Node", f"{step.name}_kernel_time", now, duration, args))
            now += duration
    return [_event("Session", "model_run", 0, now, {}), *events]


def write_profile(prefix: str, steps: Sequence[Step]) -> str:
    """Writes the events to a new file, whose name begins with `prefix` and contains the time. Returns its name."""
    path = f"{prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(_events(steps), file, indent=0)
    return path
