"""Sizes that only a run knows: one compilation is for all."""
import torch

import modules


def run(f, model, inputs):
    with torch.no_grad():
        for it in inputs:
            got, wanted = f(*it), model(*it)
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-4)


def test_batch_and_image(compiled, compilations):
    model = modules.cnn()
    f = compiled(model, dynamic=True)
    run(f, model, [(torch.randn(n, 3, h, w),) for n, h, w in ((2, 12, 16), (3, 32, 20), (5, 10, 14))])
    assert len(compilations) == 1
    run(f, model, [(torch.randn(4, 3, 9, 11),)])
    # PyTorch 2.6 traces pooling with stride 2 once for even and once for odd sizes.
    assert len(compilations) == 1 or torch.__version__ < "2.7"


def test_length_of_text(compiled, compilations):
    model = modules.Gpt()
    run(compiled(model, dynamic=True), model, [(torch.randint(1, 100, (n, length)),) for n, length in ((2, 16), (3, 5), (4, 64))])
    assert len(compilations) == 1
    assert {it.name for it in compilations[0]._session.inputs} and "s" in str(compilations[0]._session.inputs[0].shape[0])


def test_masked_text(compiled, compilations):
    model = modules.Bert()
    inputs = [(torch.randint(1, 100, (2, length)), torch.ones(2, length, dtype=torch.int64)) for length in (7, 12, 30)]
    run(compiled(model, dynamic=True), model, inputs)
    assert len(compilations) == 1


def test_marked_dimension(compiled, compilations):
    model = modules.Encoder()
    f = compiled(model)
    inputs = [(torch.randn(2, length, 64),) for length in (6, 11, 40)]
    for it in inputs:
        torch._dynamo.mark_dynamic(it[0], 1)
    run(f, model, inputs)
    assert len(compilations) == 1


def test_formulas_of_sizes(compiled, compilations):
    def model(x, n):
        rows, columns = x.shape
        return (x.reshape(columns, rows) * n, x.new_zeros(rows * 2 + 1, columns) + n, x[: rows // 2] + 1, x.flatten()[: rows + columns] / rows,
                torch.arange(rows), x.sum() / (rows * columns), torch.cat([x, x[1:]], 0) + 0, x.mean(0) * rows ** 0.5)

    run(compiled(model, dynamic=True), model, [(torch.randn(6, 4), 3), (torch.randn(9, 5), 7), (torch.randn(12, 7), -2)])
    assert len(compilations) == 1


def test_sizes_that_are_results(compiled):
    def model(x):
        return x + 1, x.shape[0] * 2

    f = compiled(model, dynamic=True)
    with torch.no_grad():
        assert f(torch.zeros(3, 2))[1] == 6 and f(torch.zeros(5, 2))[1] == 10
