"""What is not compiled runs eagerly, with one warning, or is an error."""
import warnings

import pytest
import torch

import cppgen
import modules
from cppgen.torch import _runner, backend


@pytest.fixture(autouse=True)
def _warnings_again(monkeypatch):
    monkeypatch.setattr(_runner, "_warned", set())


def mixed(x, w):
    """The operator in the middle is none of ONNX."""
    y = torch.relu(x @ w) * 2
    z = torch.special.bessel_j0(y)
    return torch.softmax(z @ w, -1), y, z.T


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_part_runs_eagerly(dynamic):
    f = torch.compile(mixed, backend=backend, dynamic=dynamic)
    with torch.no_grad(), pytest.warns(RuntimeWarning, match="bessel_j0.* is not in the table of operators"):
        w = torch.randn(6, 6)
        for rows in (4, 5) if dynamic else (4,):
            x = torch.randn(rows, 6)
            torch.testing.assert_close(f(x, w), mixed(x, w), rtol=1e-4, atol=1e-5)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error")
        f(x, w)


def test_parts_freeze_parameters():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.second(torch.special.bessel_j0(self.first(x)))

    model = Model().eval()
    f = torch.compile(model, backend=backend)
    with torch.no_grad(), pytest.warns(RuntimeWarning, match="runs eagerly"):
        x = torch.randn(3, 4)
        torch.testing.assert_close(f(x), model(x))
        model.second.bias.zero_()
        torch.testing.assert_close(f(x), model(x))


def test_strict():
    f = torch.compile(mixed, backend=backend, options={"strict": True})
    with torch.no_grad(), pytest.raises(Exception, match="cppgen cannot compile a part of the graph.*bessel_j0"):
        f(torch.randn(4, 6), torch.randn(6, 6))


def test_sizes_that_depend_on_values():
    def model(x):
        return (x * 2)[x > 0] + 1

    f = torch.compile(model, backend=backend)
    x = torch.randn(20)
    with torch.no_grad():
        torch.testing.assert_close(f(x), model(x))


def test_training_runs_eagerly():
    model = modules.mlp()
    f = torch.compile(model, backend=backend)
    x = torch.randn(3, 8)
    with pytest.warns(RuntimeWarning, match="need gradients, which cppgen does not compute; call the model under"):
        f(x).sum().backward()
    assert model[0].weight.grad is not None
    strict = torch.compile(modules.mlp(), backend=backend, options={"strict": True})
    with pytest.raises(Exception, match="need gradients"):
        strict(x)


def test_training_and_inference_alternate():
    model = modules.mlp()
    f = torch.compile(model, backend=backend)
    x = torch.randn(3, 8)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            f(x).square().sum().backward()
        optimizer.step()
        with torch.no_grad():
            torch.testing.assert_close(f(x), model(x))


def test_errors_of_the_compiler(monkeypatch):
    def refuse(*arguments, **named):
        raise cppgen.UserError("this is refused")

    monkeypatch.setattr(_runner, "Session", refuse)
    x = torch.randn(3)
    f = torch.compile(lambda x: x * 3, backend=backend)
    with torch.no_grad(), pytest.warns(RuntimeWarning, match="could not be compiled: this is refused"):
        assert torch.equal(f(x), x * 3)
    f = torch.compile(lambda x: x * 4, backend=backend, options={"strict": True})
    with torch.no_grad(), pytest.raises(cppgen.UserError, match="this is refused"):
        f(x)


def test_random_numbers_are_those_of_torch():
    def model(x):
        return torch.relu(x) + torch.rand_like(x)

    f = torch.compile(model, backend=backend)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.isfinite(f(torch.zeros(4))).all()
