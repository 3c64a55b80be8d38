"""cppgen as a backend of ONNX, for onnx.backend.test and programs that take backends.

    import cppgen.backend

    outputs = cppgen.backend.prepare(model).run([x])  # a tuple whose entries have names, too

It needs the package onnx."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import onnx
from onnx.backend.base import Backend as _Backend, BackendRep, namedtupledict

from . import _errors
from ._reports import check
from ._session import Session


class Representation(BackendRep):
    """A compiled model."""

    def __init__(self, session: Session):
        super().__init__()
        self.session = session
        self._outputs = namedtupledict("Outputs", [it.name for it in session.outputs])

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """inputs: a list or tuple in the order of the model, a dict by name, or the only input itself."""
        if kwargs:
            raise _errors.UserError(f"run takes no options, not {', '.join(kwargs)}")
        if not isinstance(inputs, (Mapping, list, tuple)):
            inputs = [inputs]
        return self._outputs(*self.session.run(inputs).values())


class Backend(_Backend):
    """Options of `prepare`, `run_model` and `run_node` are those of cppgen.Session."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"

    @classmethod
    def _require(cls, device: str) -> None:
        if not cls.supports_device(device):
            raise _errors.UserError(f"cppgen has no device {device!r}; it has CPU")

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        return cls.supports_device(device) and bool(check(model, **kwargs))

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> Representation:
        cls._require(device)
        return Representation(Session(model, **kwargs))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Any, ...]:
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Sequence[tuple[Any, Sequence[int]]] | None = None, **kwargs: Any) -> tuple[Any, ...]:
        """Runs one node. The types and shapes of outputs follow from the inputs."""
        opset = kwargs.pop("opset_version", None) or onnx.defs.onnx_opset_version()
        tensors = [onnx.numpy_helper.from_array(_array(it), name) for it, name in zip(inputs, node.input)]
        graph = onnx.helper.make_graph(
            [node], "node", [onnx.helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in tensors],
            [onnx.ValueInfoProto(name=name) for name in node.output if name])
        opsets = [onnx.helper.make_opsetid(node.domain, opset)]
        return cls.run_model(onnx.helper.make_model(graph, opset_imports=opsets), inputs, device, **kwargs)


def _array(value: Any) -> Any:
    import numpy as np

    return np.asarray(value)


is_compatible = Backend.is_compatible
prepare = Backend.prepare
run_model = Backend.run_model
run_node = Backend.run_node
supports_device = Backend.supports_device
