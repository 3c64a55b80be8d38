import os
import sys

import pytest
import torch

from cppgen.torch import _runner, backend

sys.path.insert(0, os.path.dirname(__file__))


def flat(result):
    """The tensors of a result."""
    return [it for part in result for it in flat(part)] if isinstance(result, (list, tuple)) else [result]


def is_dense(tensor):
    """Whether the elements fill the memory from the first to the last."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) == tensor.numel()


def assert_same(got, wanted, tolerance, name):
    """Tensors of equal types and sizes, and if they are dense of equal strides, with equal values but for rounding."""
    assert isinstance(got, torch.Tensor) and (got.dtype, got.shape) == (wanted.dtype, wanted.shape), (name, got)
    strides = [(a, b) for a, b, size in zip(got.stride(), wanted.stride(), got.shape) if size > 1]
    assert not is_dense(wanted) or all(a == b for a, b in strides), (name, got.stride(), wanted.stride())
    if not wanted.numel():
        return
    if wanted.dtype.is_floating_point:
        finite = wanted.isfinite()
        largest = float(wanted[finite].double().abs().max()) if finite.any() else 1.0
        torch.testing.assert_close(got.double(), wanted.double(), rtol=0, atol=tolerance * largest + 1e-30, equal_nan=True,
                                   msg=lambda text: f"{name}: {text}")
    else:
        assert torch.equal(got, wanted), (name, got, wanted)


@pytest.fixture(autouse=True)
def _new_dynamo():
    torch._dynamo.reset()
    torch.manual_seed(0)


@pytest.fixture
def compiled():
    """compiled(model, **arguments of torch.compile): the model in eval mode, compiled; everything must be."""
    def make(model, options=None, **arguments):
        model = model.eval() if isinstance(model, torch.nn.Module) else model
        return torch.compile(model, backend=backend, options={"strict": True, **(options or {})}, **arguments)

    return make


@pytest.fixture
def compare(compiled):
    """Compares results of the compiled model with those of PyTorch."""
    def check(model, *inputs, tolerance=1e-5, **arguments):
        with torch.no_grad():
            got = flat(compiled(model, **arguments)(*inputs))
            wanted = flat(model(*inputs))
        assert len(got) == len(wanted)
        for index, (a, b) in enumerate(zip(got, wanted)):
            assert_same(a, b, tolerance, f"result {index}")

    return check


@pytest.fixture
def compilations(monkeypatch):
    """The models that are compiled, as a list that grows."""
    made = []
    original = _runner.Compiled.__init__

    def count(self, *arguments):
        made.append(self)
        original(self, *arguments)

    monkeypatch.setattr(_runner.Compiled, "__init__", count)
    return made
