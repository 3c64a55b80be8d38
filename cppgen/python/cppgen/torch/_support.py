"""Which nodes of a graph can be translated."""
from __future__ import annotations

import operator as operators
from typing import Any

import torch

from ._model import Value
from ._nodes import dim_of, result_of
from ._sizes import Unsupported
from ._translate import Translator


def unsupported_nodes(module: torch.fx.GraphModule) -> dict[torch.fx.Node, str]:
    """The nodes that cannot be translated, with the reasons. Each is tried as if what it needs could be."""
    translator = Translator(module, {})
    found: dict[torch.fx.Node, str] = {}
    try:
        translator.declare_inputs()
    except Unsupported:
        pass
    for node in module.graph.nodes:
        if node.op == "placeholder":
            translator.values.setdefault(node, _stand_in(node.meta.get("val"), node.name))
        elif node.op == "get_attr":  # whose elements cannot be read while PyTorch traces
            translator.values[node] = _stand_in(operators.attrgetter(str(node.target))(module), node.name)
        elif node.op == "call_function":
            try:
                translator.values[node] = translator.value_of(node)
            except Unsupported as error:
                found[node] = str(error)
                translator.values[node] = _stand_in(node.meta.get("val"), node.name)
        elif node.op != "output":
            found[node] = f"{node.op} {node.target}"
    return found


def _stand_in(value: Any, name: str) -> Any:
    """A value for the result of a node that was not translated."""
    if isinstance(value, torch.Tensor):
        return Value(name, *result_of(value))
    if isinstance(value, (list, tuple)):
        return [_stand_in(it, name) for it in value]
    return dim_of(value)
