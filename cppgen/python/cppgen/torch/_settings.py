"""The arguments of torch.compile as settings of cppgen."""
from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Mapping
from typing import Any

from .._errors import UserError
from .._reports import config

#: Settings by the modes of torch.compile. CUDA graphs, which two of them are about, have no counterpart.
MODES: dict[str, dict[str, Any]] = {
    "default": {}, "reduce-overhead": {},
    "max-autotune": {"MAX_AUTOTUNE": 1}, "max-autotune-no-cudagraphs": {"MAX_AUTOTUNE": 1},
}  # yapf: disable


@dataclasses.dataclass(frozen=True)
class Options:
    """strict: what cannot be compiled is an error, instead of running eagerly. settings: of cppgen, by their names."""

    strict: bool = False
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def is_freezing(self) -> bool:
        """Whether parameters become constants."""
        return str(self.settings.get("FREEZING", 1)) not in ("0", "False", "off", "no")


@functools.lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """The settings by all names that options have: "SIMDLEN" by SIMDLEN, CPPGEN_SIMDLEN and TORCHINDUCTOR_CPP_SIMDLEN."""
    names: dict[str, str] = {}
    for setting in config().values():
        for alias in (*setting["aliases"], setting["variable"], setting["name"]):
            names[alias] = setting["name"]
    return names


def setting_of(option: str) -> str:
    """The setting that an option of TorchInductor ("cpp.simdlen") or of cppgen ("SIMDLEN", "isa") stands for."""
    names = _names()
    path = option.upper().replace(".", "_")
    for name in (path, f"TORCHINDUCTOR_{path}", path.removeprefix("CPP_"), path.removeprefix("AOT_INDUCTOR_")):
        if name in names:
            return names[name]
    own = sorted(set(names.values()))
    close = difflib.get_close_matches(path.removeprefix("CPP_"), own, n=3)
    hint = f"; similar are {', '.join(close)}" if close else ""
    raise UserError(f"torch.compile: cppgen has no option {option!r}{hint}. There are 'strict' and the settings "
                    f"{', '.join(own)}")


def options_of(mode: str | None, options: Mapping[str, Any] | None) -> Options:
    """UserError: an option or mode that does not exist."""
    if mode is not None and mode not in MODES:
        raise UserError(f"torch.compile: cppgen has no mode {mode!r}; it has {', '.join(map(repr, MODES))}")
    given = dict(options or {})
    strict = given.pop("strict", False)
    if not isinstance(strict, bool):
        raise UserError(f"torch.compile: the option 'strict' is {strict!r}; allowed are True and False")
    settings = dict(MODES[mode or "default"])
    settings.update((setting_of(name), value) for name, value in given.items())
    return Options(strict, settings)
