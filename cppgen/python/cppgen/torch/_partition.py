"""Graphs that are supported in part: the largest parts that are become runners, and everything else runs eagerly."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from ._runner import Runner, warn_once
from ._settings import Options
from ._sizes import Unsupported
from ._support import unsupported_nodes

#: What a part needs more than: operators without computation, for which a call would not pay.
_TRIVIAL = {
    "view", "_unsafe_view", "permute", "transpose", "t", "expand", "squeeze", "unsqueeze", "slice", "select", "split",
    "split_with_sizes", "unbind", "alias", "detach", "clone", "full", "empty", "zeros", "ones", "scalar_tensor",
}  # yapf: disable


class _Support(OperatorSupportBase):
    def __init__(self, unsupported: Any):
        self._unsupported = unsupported

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return node.op in ("call_function", "get_attr") and node not in self._unsupported


class _Part(torch.nn.Module):
    """A runner as a module, which graphs can call."""

    def __init__(self, runner: Runner):
        super().__init__()
        self._runner = runner

    def forward(self, *arguments: Any) -> Any:
        return self._runner(arguments)


def _computes(module: torch.fx.GraphModule) -> bool:
    names = [node.target._schema.name.split("::")[1] for node in module.graph.nodes
             if isinstance(node.target, torch._ops.OpOverload)]
    return any(name not in _TRIVIAL for name in names)


def _reasons(unsupported: dict[torch.fx.Node, str]) -> str:
    return "; ".join(sorted(set(unsupported.values())))


def runner_of(module: torch.fx.GraphModule, parameters: Sequence[int], options: Options) -> Callable[[Sequence[Any]], Any]:
    """Runs the graph for a list of its inputs. Unsupported: options.strict, and a part of it would run eagerly."""
    unsupported = unsupported_nodes(module)
    if not unsupported:
        return Runner(module, parameters, options)
    if options.strict:
        raise Unsupported(f"cppgen cannot compile a part of the graph: {_reasons(unsupported)}")
    warn_once(f"cppgen: a part of a graph runs eagerly: {_reasons(unsupported)}")
    return _mixed(module, parameters, options, unsupported)


def _mixed(module: torch.fx.GraphModule, parameters: Sequence[int], options: Options,
           unsupported: dict[torch.fx.Node, str]) -> Callable[[Sequence[Any]], Any]:
    placeholders = [node.name for node in module.graph.nodes if node.op == "placeholder"]
    static = {placeholders[index] for index in parameters}
    partitioner = CapabilityBasedPartitioner(module, _Support(unsupported), allows_single_node_partition=True)
    mixed = partitioner.fuse_partitions(partitioner.propose_partitions())
    for node in list(mixed.graph.nodes):
        if node.op == "call_module":
            part = getattr(mixed, str(node.target))
            if _computes(part):
                own = [at for at, it in enumerate(node.args) if isinstance(it, torch.fx.Node) and it.name in static]
                setattr(mixed, str(node.target), _Part(Runner(part, own, options)))
    return lambda arguments: mixed(*arguments)
