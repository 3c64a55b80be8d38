"""Small networks with fixed sizes."""
import pytest
import torch

import modules


def ids(*shape):
    return torch.randint(1, 100, shape)


def attended():
    mask = torch.ones(2, 16, dtype=torch.int64)
    mask[1, 10:] = 0
    return mask


CASES = {
    "mlp": lambda: (modules.mlp(), torch.randn(3, 8)),
    "cnn": lambda: (modules.cnn(), torch.randn(2, 3, 12, 12)),
    "gpt": lambda: (modules.Gpt(), ids(2, 16)),
    "bert": lambda: (modules.Bert(), ids(2, 16), attended()),
    "lstm": lambda: (modules.Lstm(), torch.randn(2, 9, 16)),
    "gru": lambda: (torch.nn.GRU(16, 24), torch.randn(5, 2, 16)),
    "encoder": lambda: (modules.Encoder(), torch.randn(2, 16, 64)),
    "encoder_norm_first": lambda: (modules.Encoder(True), torch.randn(2, 16, 64), attended() == 0),
    "transformer": lambda: (modules.TransformerModel(), torch.randn(2, 9, 32), torch.randn(2, 7, 32)),
}  # yapf: disable


@pytest.mark.parametrize("name", CASES)
def test_model(name, compare):
    model, *inputs = CASES[name]()
    compare(model, *inputs, tolerance=1e-4)


def test_inference_mode_and_functions(compiled):
    f = compiled(lambda x, n: {"sum": (x + n).sum(), "same": x, "number": n})
    with torch.inference_mode():
        x = torch.randn(3, 4)
        result = f(x, 2)
    assert torch.allclose(result["sum"], (x + 2).sum()) and result["same"] is x and result["number"] == 2


def test_bfloat16_and_float64(compare):
    compare(modules.mlp().bfloat16(), torch.randn(3, 8).bfloat16(), tolerance=2e-2)
    compare(modules.mlp().double(), torch.randn(3, 8).double(), tolerance=1e-10)


def test_channels_last(compare):
    model = modules.cnn().to(memory_format=torch.channels_last)[:6]
    compare(model, torch.randn(2, 3, 12, 12).to(memory_format=torch.channels_last))
    compare(lambda x: (x.transpose(1, 2) * 2, x.permute(2, 0, 1).contiguous() + 1), torch.randn(3, 4, 5).transpose(0, 1))


def test_inputs_that_are_no_dense_memory(compare):
    compare(lambda x: x * 2, torch.randn(8, 10)[::2, 1:7])


def test_results_share_no_memory(compiled):
    f = compiled(lambda x: x + 1)
    with torch.no_grad():
        first, second = f(torch.zeros(4)), f(torch.ones(4))
    first += 1
    assert first.tolist() == [2] * 4 and second.tolist() == [2] * 4


def test_inputs_that_are_written(compare, compiled):
    def count(x, counter):
        counter.add_(1)
        return x * counter

    with torch.no_grad():
        f, counter = compiled(count), torch.zeros(1)
        results = [f(torch.ones(2), counter).tolist() for _ in range(3)]
    assert results == [[1, 1], [2, 2], [3, 3]] and counter.item() == 3


class Normalizing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)


def test_buffers_that_are_written():
    from cppgen.torch import backend

    ours, theirs = Normalizing().train(), Normalizing().train()
    compiled = torch.compile(ours, backend=backend)
    with torch.no_grad():
        for _ in range(3):
            x = torch.randn(5, 3)
            torch.testing.assert_close(compiled(x), theirs(x))
    torch.testing.assert_close(ours.norm.running_var, theirs.norm.running_var)
    assert int(ours.norm.num_batches_tracked) == 3


def test_parameters_that_change(compiled):
    model = modules.mlp()
    f = compiled(model)
    x = torch.randn(3, 8)
    with torch.no_grad():
        for step in range(6):
            torch.testing.assert_close(f(x), model(x))
            if step % 2:
                model[0].weight.mul_(-0.5)
            else:
                model[3].bias.data = torch.randn(4)
