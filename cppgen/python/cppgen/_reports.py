"""What cppgen says about models."""
from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _cppgen
from ._options import CustomOps, Dims, Model, Settings, Sizes, States, request_for
from ._tables import html_table, text_table


class Report(Mapping[str, Any]):
    """The answer of a command of cppgen with --json: a mapping that prints as text. Its entries are attributes, too."""

    def __init__(self, text: str):
        self._data: dict[str, Any] = json.loads(text)

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self._data)}")
        return self._data[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._data]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def _facts(self) -> list[tuple[str, Any]]:
        """Short lines: a title and what there is to say."""
        return [(key, value) for key, value in self._data.items() if not isinstance(value, (list, dict)) and value is not None]

    def _tables(self) -> list[tuple[str, Sequence[str], list[Sequence[Any]]]]:
        """Caption, heads and rows of tables."""
        return []

    def __str__(self) -> str:
        parts = [f"{key:<18}{value}" for key, value in self._facts()]
        for caption, heads, rows in self._tables():
            parts += ["", caption, text_table(heads, rows)]
        return "\n".join(parts)

    def __repr__(self) -> str:
        return f"<cppgen.{type(self).__name__} of {self._data.get('model', 'a model')}>"

    def _repr_html_(self) -> str:
        facts = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in self._facts())
        return f"<table>{facts}</table>" + "".join(html_table(heads, rows, caption) for caption, heads, rows in self._tables())


def _counts(operators: Mapping[str, int]) -> list[Sequence[Any]]:
    return [(count, name) for name, count in operators.items()]


class Check(Report):
    """Whether a model can be compiled: `supported`, which is also the truth of this object, and `reason`."""

    def __bool__(self) -> bool:
        return bool(self._data["supported"])

    def _facts(self) -> list[tuple[str, Any]]:
        return _size_facts(self._data, ("model", "supported", "reason", "isa"))

    def _tables(self) -> list[tuple[str, Sequence[str], list[Sequence[Any]]]]:
        unsupported = self._data.get("unsupported") or []
        if not unsupported:
            return []
        return [("nodes that are not supported", ("node",), [(_line(it),) for it in unsupported])]


class Inspection(Report):
    """What is in a model: inputs, outputs, operators, parameters."""

    def _tables(self) -> list[tuple[str, Sequence[str], list[Sequence[Any]]]]:
        def rows(tensors: Sequence[Mapping[str, Any]]) -> list[Sequence[Any]]:
            return [(it["name"], it["dtype"], "[" + ", ".join(map(str, it.get("dims") or ())) + "]") for it in tensors]

        return [("inputs", ("name", "type", "shape"), rows(self._data["inputs"])),
                ("outputs", ("name", "type", "shape"), rows(self._data["outputs"])),
                ("operators", ("nodes", "operator"), _counts(self._data["operators"]))]


class Explanation(Report):
    """What a model becomes: its steps with their costs, and the outcome of each decision."""

    def _facts(self) -> list[tuple[str, Any]]:
        return _size_facts(self._data, ("model", "isa"))

    def _tables(self) -> list[tuple[str, Sequence[str], list[Sequence[Any]]]]:
        steps: list[Sequence[Any]] = [
            (i, _number(it.get("predicted_ms")), it.get("engine", ""), it["name"], ", ".join(it.get("origins", ())))
            for i, it in enumerate(self._data.get("steps") or ())
        ]
        return [("steps", ("step", "predicted ms", "engine", "name", "nodes"), steps)] if steps else []


def _line(entry: Any) -> str:
    return ", ".join(f"{key} {value}" for key, value in entry.items()) if isinstance(entry, Mapping) else str(entry)


def _number(value: Any) -> str:
    return "" if value is None else f"{value:.4g}"


def _size_facts(data: Mapping[str, Any], first: Sequence[str]) -> list[tuple[str, Any]]:
    facts = [(key, data[key]) for key in first if data.get(key) is not None]
    if data.get("step_count") is not None:
        facts.append(("steps", f"{data['step_count']} from {data['nodes']} nodes"))
    if data.get("flops") is not None:
        facts.append(("arithmetic", f"{1e-9 * data['flops']:.4g} GFLOP"))
    if data.get("peak_bytes") is not None:
        facts.append(("memory", f"{1e-6 * data['peak_bytes']:.4g} MB at the peak of a run"))
    if data.get("predicted_ms") is not None:
        facts.append(("predicted", f"{data['predicted_ms']:.4g} ms; {data['bound_ms']:.4g} ms at the least"))
    return facts


def check(model: Model, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
          settings: Settings = None, custom_ops: CustomOps = None, states: States = None) -> Check:
    """Whether the model can be compiled, and if not, why. For the options, see `compile`."""
    return Check(request_for(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops,
                             states=states).check())


def inspect(model: Model) -> Inspection:
    """Inputs, outputs, operators and parameters of the model."""
    return Inspection(request_for(model).inspect())


def explain(model: Model, *, dims: Dims = None, sizes: Sizes = None, isa: str | Sequence[str] | None = None,
            settings: Settings = None, custom_ops: CustomOps = None, states: States = None) -> Explanation:
    """What the model becomes and takes. For the options, see `compile`."""
    return Explanation(request_for(model, dims=dims, sizes=sizes, isa=isa, settings=settings, custom_ops=custom_ops,
                                   states=states).explain())


def config() -> dict[str, dict[str, Any]]:
    """Every setting by its name: its value in this environment, its default, the allowed values, and what it does."""
    return {it["name"]: it for it in json.loads(_cppgen.Request().config())["settings"]}
