"""Tables that print well, in terminals and in notebooks."""
from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterator, Sequence
from typing import Any, overload


def text_table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns of numbers are aligned to the right."""
    cells = [list(map(str, row)) for row in (heads, *rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    right = [all(isinstance(row[i], (int, float)) or _is_number(row[i]) for row in rows) for i in range(len(heads))]
    lines = ("  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)


def html_table(heads: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    def row(tag: str, cells: Sequence[Any]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead>{row('th', heads)}</thead><tbody>{''.join(row('td', cells) for cells in rows)}</tbody></table>"


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


@dataclasses.dataclass(frozen=True)
class Step:
    """A step of a model with its measurements, which are sums over runs."""

    version: str  #: of the model, to which the step belongs; "" if the package has only one
    name: str
    engine: str  #: "loops", "cppgen", "onednn" ...
    nodes: str  #: of the model, separated by ", "
    calls: int
    seconds: float
    flops: float  #: multiply-adds of sums of products, each counted as two operations
    bytes: float  #: read and written in memory, each element counted once


class Profile(Sequence[Step]):
    """The steps of a model in their order. It prints as a table, the slowest step first."""

    def __init__(self, steps: Sequence[Step]):
        self._steps = list(steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...

    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...

    def __getitem__(self, index: Any) -> Any:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    @property
    def seconds(self) -> float:
        """The sum of the times of all steps."""
        return sum(step.seconds for step in self._steps)

    _HEADS = ("step", "us", "%", "GFLOP/s", "GB/s", "engine", "name", "nodes")

    def _rows(self) -> list[tuple[Any, ...]]:
        total = self.seconds or 1.0
        order = sorted(range(len(self._steps)), key=lambda i: -self._steps[i].seconds)
        return [self._row(i, self._steps[i], total) for i in order if self._steps[i].calls]

    @staticmethod
    def _row(position: int, step: Step, total: float) -> tuple[Any, ...]:
        rate = 1e-9 / step.seconds if step.seconds else 0.0
        return (position, f"{1e6 * step.seconds / step.calls:.2f}", f"{100 * step.seconds / total:.1f}",
                f"{step.flops * rate:.1f}", f"{step.bytes * rate:.1f}", step.engine, step.name, step.nodes)

    def __str__(self) -> str:
        rows = self._rows()
        return text_table(self._HEADS, rows) if rows else "no measurements: make the session with profile=True and run it"

    def __repr__(self) -> str:
        return f"<cppgen.Profile of {len(self)} steps, {1e3 * self.seconds:.3f} ms>"

    def _repr_html_(self) -> str:
        return html_table(self._HEADS, self._rows(), repr(self)[1:-1])
