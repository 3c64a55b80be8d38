"""From graphs of torch.fx, whose operators are those of ATen, to models."""
from __future__ import annotations

import dataclasses
import operator as operators
from collections.abc import Mapping
from typing import Any

import torch

from ._layouts import inverse
from ._model import DTYPES, Value
from ._nodes import (ASSERTIONS, SYMBOLIC, bytes_of, check_tensors, dim_of, dtype_name, is_whole, order_of, result_of,
                     row_for)
from ._sizes import Dim, Size, Unsupported, dim_name
from ._table import Context

@dataclasses.dataclass
class Output:
    """A result of a graph: an output of the model, an input of the graph, or a constant such as None."""

    index: int | None = None  #: of the model's output
    argument: int | None = None  #: of the graph's input
    constant: Any = None
    order: list[int] | None = None  #: how the dimensions of the model's output are permuted
    dtype: torch.dtype | None = None  #: None: a number of Python


@dataclasses.dataclass
class Translation:
    model: bytes
    arguments: list[int]  #: for each input of the model, which input of the graph it is
    orders: list[list[int] | None]  #: how inputs are permuted; None: not at all
    outputs: list[Output]
    is_single: bool  #: the graph yields one result, and no list


class Translator:
    """Translates nodes one after the other. `frozen`: tensors for inputs of the graph that become constants."""

    def __init__(self, module: torch.fx.GraphModule, frozen: Mapping[int, torch.Tensor]):
        self.module = module
        self.frozen = frozen
        self.context = Context()
        self.values: dict[torch.fx.Node, Any] = {}
        self.arguments: list[int] = []
        self.orders: list[list[int] | None] = []
        self._weights: dict[Any, Value] = {}
        self._placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]

    def whole(self) -> Translation:
        """The model of the whole graph."""
        self.declare_inputs()
        for node in self.module.graph.nodes:
            if node.op in ("call_function", "get_attr"):
                self.values[node] = self.value_of(node)
        (results,) = self.module.graph.output_node().args
        is_single = not isinstance(results, (list, tuple))
        outputs = self._outputs([results] if is_single else results)
        return Translation(self.context.model.to_bytes(), self.arguments, self.orders, outputs, is_single)

    def declare_inputs(self) -> None:
        """Inputs of the model: tensors that are used, and numbers that are no sizes of such."""
        for index, node in enumerate(self._placeholders):
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor) and node.users:
                self.values[node] = self._tensor_input(index, node.name, value)
        for index, node in enumerate(self._placeholders):
            value = node.meta.get("val")
            if isinstance(value, SYMBOLIC):
                self.values[node] = dim_of(value)
                if isinstance(self.values[node], Size):
                    self._declare_number(index, node.name, self.values[node])
            elif not isinstance(value, torch.Tensor):
                self.values[node] = value

    def _tensor_input(self, index: int, name: str, value: torch.Tensor) -> Value:
        if index in self.frozen:
            return self._weight(name, self.frozen[index])
        check_tensors(self._placeholders[index])
        dims, order = result_of(value).shape, order_of(value)
        is_permuted = order is not None and order != list(range(len(dims)))
        stored = [dims[it] for it in order] if is_permuted else dims
        model = self.context.model
        made = model.input(name, dtype_name(value.dtype), [self._input_dim(name, axis, it) for axis, it in enumerate(stored)])
        made = Value(made.name, made.dtype, tuple(stored))
        self.arguments.append(index)
        self.orders.append(order if is_permuted else None)
        self.context.sizes.declare_shape(made)
        return self.context.transpose(made, inverse(order)) if is_permuted else made

    @staticmethod
    def _input_dim(name: str, axis: int, dim: Dim) -> int | str:
        text = dim_name(dim)
        return f"{name}_{axis}" if text is None else text

    def _declare_number(self, index: int, name: str, size: Size) -> None:
        def make() -> Value:
            self.arguments.append(index)
            self.orders.append(None)
            return self.context.model.input(name, "int64", ())

        if size.expression.is_Symbol:
            self.context.sizes.declare(size.expression, make)

    def _weight(self, name: str, tensor: torch.Tensor) -> Value:
        """A constant. Tensors that share memory become one."""
        key = (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride())
        if key not in self._weights:
            dtype = dtype_name(tensor.dtype)
            if dtype not in DTYPES or tensor.device.type != "cpu":
                raise Unsupported(f"{name}: tensors of {tensor.dtype} on {tensor.device}")
            self._weights[key] = self.context.model.weight(name, dtype, tuple(tensor.shape), bytes_of(tensor))
        return self._weights[key]

    def value_of(self, node: torch.fx.Node) -> Any:
        """Translates a node. Unsupported: it cannot be translated, and the model is as before, but for constants."""
        if str(node.target) in ASSERTIONS and not node.users:
            return None
        if node.op == "get_attr":
            return self._weight(node.name, operators.attrgetter(str(node.target))(self.module))
        value = node.meta.get("val")
        if isinstance(value, SYMBOLIC):
            return dim_of(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        arguments, named = self._plain(node.args), self._plain(node.kwargs)
        if node.target is operators.getitem:
            return arguments[0][arguments[1]]
        check_tensors(node)
        if node.target is torch.ops.aten.as_strided.default and is_whole(node):
            return arguments[0]
        row = row_for(node)
        self.context.is_used = {user.args[1] for user in node.users if user.target is operators.getitem}.__contains__
        result = result_of(value)
        try:
            return self._checked(row(self.context, result, *arguments, **named), result)
        except (AssertionError, IndexError, KeyError, TypeError, ValueError) as error:
            # Operators have other arguments in other versions of PyTorch.
            raise Unsupported(f"{node.target}({', '.join(map(str, node.args))}): {error!r}") from error

    def _checked(self, made: Any, result: Any) -> Any:
        """With the types of the results."""
        if isinstance(result, list):
            return [None if it is None else self._checked(it, want) for it, want in zip(made, result)]
        value = self.context.cast(made, result.dtype)
        return Value(value.name, value.dtype, result.shape)

    def _plain(self, argument: Any) -> Any:
        if isinstance(argument, torch.fx.Node):
            value = self.values.get(argument)
            if value is None:
                raise Unsupported(f"{argument.name} is missing")
            return value
        if isinstance(argument, (list, tuple)):
            return [self._plain(it) for it in argument]
        if isinstance(argument, Mapping):
            return {key: self._plain(it) for key, it in argument.items()}
        if isinstance(argument, torch.dtype):
            return dtype_name(argument)
        if isinstance(argument, (torch.device, torch.layout, torch.memory_format)):
            return str(argument)
        return dim_of(argument)

    def _outputs(self, results: Any) -> list[Output]:
        made: dict[torch.fx.Node, Output] = {}
        return [self._output(it, made) for it in results]

    def _output(self, node: Any, made: dict[torch.fx.Node, Output]) -> Output:
        if not isinstance(node, torch.fx.Node):
            return Output(constant=node)
        if node.op == "placeholder":
            return Output(argument=self._placeholders.index(node))
        if node not in made:
            made[node] = self._new_output(node, sum(it.index is not None for it in made.values()))
        return made[node]

    def _new_output(self, node: torch.fx.Node, index: int) -> Output:
        value, meta, context = self.values[node], node.meta.get("val"), self.context
        if value is None:
            raise Unsupported(f"{node.name} is missing")
        if not isinstance(value, Value):
            if isinstance(value, (int, float)):
                return Output(constant=value)
            context.model.output(context.sizes.scalar(value), ())
            return Output(index)
        order = order_of(meta)
        is_permuted = order is not None and order != list(range(value.rank))
        stored = context.transpose(value, order) if is_permuted else value
        context.model.output(stored, [dim_name(it) for it in stored.shape])
        return Output(index, order=inverse(order) if is_permuted else None, dtype=meta.dtype)
