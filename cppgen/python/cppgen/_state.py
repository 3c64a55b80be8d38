"""What models keep from run to run, such as the caches of a decoder."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _cppgen, _inputs
from ._errors import UserError

if TYPE_CHECKING:
    from ._session import Session


@dataclasses.dataclass(frozen=True)
class StateInfo:
    """An input and an output of a model that are one tensor, which grows."""

    input: str
    output: str
    axis: int  #: along which it grows
    capacity: int  #: the greatest number of positions along it


class State(_cppgen.State):
    """What one sequence of runs keeps, such as the decoding of one text, for a model compiled with `states`:

        session = cppgen.Session("decoder.onnx", states={"present": "past"})
        state = session.new_state()
        logits = state(prompt)       # inputs and outputs are the model's without those of states
        logits = state(next_token)   # continues; nothing that is kept is copied
        state.length = 10            # forgets what follows the first ten positions; 0: begins again

    A session may have any number of states. A state is used by one run at a time; Python's other threads run during a
    call. After an error, the state is as it was."""

    def __init__(self, session: Session):
        super().__init__(session)
        #: What it belongs to.
        self.session = session
        kept = session._states  # pylint: disable=protected-access
        inputs, outputs = {it[0] for it in kept}, {it[1] for it in kept}
        #: The inputs and outputs of runs.
        self.inputs = tuple(it for i, it in enumerate(session.inputs) if i not in inputs)
        self.outputs = tuple(it for i, it in enumerate(session.outputs) if i not in outputs)

    def __call__(self, *inputs: Any, **named_inputs: Any) -> Any:
        results = self._run(_inputs.bind(self, inputs, named_inputs), None)
        return results[0] if len(results) == 1 else results

    def run(self, inputs: Mapping[str, Any] | Sequence[Any], *, cancel: _cppgen.Cancel | None = None) -> dict[str, Any]:
        """Runs the model and returns its results by their names. inputs: by name, or in the order of the model. cancel:
        ends the run from another thread; it then raises Cancelled."""
        named = inputs if isinstance(inputs, Mapping) else {}
        bound = _inputs.bind(self, () if isinstance(inputs, Mapping) else tuple(inputs), named)
        return dict(zip((it.name for it in self.outputs), self._run(bound, cancel)))

    def read(self) -> dict[str, np.ndarray]:
        """Copies of what is kept, by the names of the model's inputs."""
        return dict(zip((it.input for it in self.session.states), self._read()))

    def write(self, contents: Mapping[str, Any]) -> None:
        """Replaces all that is kept by copies, by the names of the model's inputs; all have the same length."""
        names = [it.input for it in self.session.states]
        for name in contents:
            if name not in names:
                raise UserError(f"'{name}' is no input of a state; these are {', '.join(map(repr, names))}")
        missing = [name for name in names if name not in contents]
        if missing:
            raise UserError(f"{', '.join(map(repr, missing))} missing: all states are written at once")
        self._write(tuple(contents[name] for name in names))

    def __repr__(self) -> str:
        return f"<cppgen.State of length {self.length}>"
