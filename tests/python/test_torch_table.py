"""The table of operators of cppgen.torch, which needs no PyTorch: rows are called with values, and the models run."""
import subprocess
import sys

import numpy as np
import onnx
import pytest

import cppgen
from cppgen.torch import Unsupported
from cppgen.torch import _rows  # noqa: F401: fills the table
from cppgen.torch._layouts import inverse, memory_order
from cppgen.torch._model import Model, Value
from cppgen.torch._promotion import promoted
from cppgen.torch._sizes import Size, dim_name, product, same
from cppgen.torch._table import OPERATORS, Context, Result, row_of



def calculated(name, result, *arguments, **named):
    """What an operator yields for these arguments, of which arrays are inputs."""
    context, arrays = Context(), []

    def value(argument):
        if isinstance(argument, (list, tuple)):
            return [value(it) for it in argument]
        if not isinstance(argument, np.ndarray):
            return argument
        arrays.append(argument)
        return context.model.input(f"x{len(arrays)}", argument.dtype.name, argument.shape)

    results = row_of(name)(context, result, *[value(it) for it in arguments], **named)
    for it in results if isinstance(results, (list, tuple)) else [results]:
        if it is not None:
            context.model.output(it, [None] * 9 if it.shape is None else [None] * len(it.shape))
    return run(context.model, arrays)


def run(model, arrays):
    data = model.to_bytes()
    proto = onnx.load_from_string(data)
    for output in proto.graph.output:  # of unknown rank
        output.type.tensor_type.ClearField("shape")
    return cppgen.Session(proto)(*arrays)


X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize("name, wanted", [
    ("relu.default", np.maximum(X, 0)), ("rsqrt.default", None), ("trunc.default", np.trunc(X)), ("sign.default", np.sign(X)),
    ("silu.default", X / (1 + np.exp(-X))),
])  # yapf: disable
def test_unary(name, wanted):
    x = np.abs(X) + 1 if wanted is None else X
    np.testing.assert_allclose(calculated(name, Result("float32", x.shape), x), 1 / np.sqrt(x) if wanted is None else wanted, 1e-5)


def test_types_are_promoted():
    i = np.arange(4)
    np.testing.assert_allclose(calculated("add.Tensor", Result("float32", (3, 4)), X, i, alpha=2), X + 2 * i)
    np.testing.assert_array_equal(calculated("gt.Scalar", Result("bool", (4,)), i, 1.5), i > 1.5)
    np.testing.assert_array_equal(calculated("div.Tensor_mode", Result("int64", (4,)), i - 2, 2, rounding_mode="floor"), (i - 2) // 2)
    kinds = [("int32", "float16"), ("uint8", "int8"), ("bfloat16", "float16"), ("bool", "int64")]
    assert [promoted(Value("a", a, (1,)), Value("b", b, (1,))) for a, b in kinds] == ["float16", "int16", "float32", "int64"]
    assert promoted(Value("a", "float16", (1,)), Value("b", "float64", ())) == "float16"


def test_shapes():
    np.testing.assert_array_equal(calculated("slice.Tensor", Result("float32", (3, 2)), X, 1, 1, 3), X[:, 1:3])
    np.testing.assert_array_equal(calculated("constant_pad_nd.default", Result("float32", (3, 4)), X, [1, -1], 9.0),
                                  np.pad(X, ((0, 0), (1, 0)), constant_values=9)[:, :4])
    np.testing.assert_array_equal(calculated("diagonal.default", Result("float32", (3,)), X, 1), np.diagonal(X, 1))
    parts = calculated("split_with_sizes.default", [Result("float32", (3, 1)), Result("float32", (3, 3))], X, [1, 3], 1)
    np.testing.assert_array_equal(parts[1], X[:, 1:])
    with pytest.raises(Unsupported, match="slice_scatter with a step"):
        calculated("slice_scatter.default", Result("float32", (3, 4)), X, X[:, ::2], 1, 0, 4, 2)


def test_indices():
    i, j = np.array([0, 2]), np.array([3, 1])
    np.testing.assert_array_equal(calculated("index.Tensor", Result("float32", (2,)), X, [i, j]), X[i, j])
    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(calculated("index.Tensor", Result("float32", (2, 2)), cube, [None, i, j]), cube[:, i, j])
    with pytest.raises(Unsupported, match="an index that is a mask"):
        calculated("index.Tensor", Result("float32", (2,)), X, [i > 0])


def test_layers():
    x = np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4)
    np.testing.assert_allclose(calculated("_adaptive_avg_pool2d.default", Result("float32", (1, 2, 2, 2)), x, [2, 2])[0, 0],
                               x[0, 0].reshape(2, 2, 2, 2).mean((1, 3)))
    with pytest.raises(Unsupported, match="adaptive pooling from"):
        calculated("_adaptive_avg_pool2d.default", Result("float32", (1, 2, 3, 3)), x, [3, 3])
    found = calculated("var.correction", Result("float32", (3,)), X, [1], correction=1)
    np.testing.assert_allclose(found, X.var(1, ddof=1), 1e-5)


def test_models_are_those_of_onnx():
    model = Model()
    x = model.input("x", "float32", ("n", 4))
    w = model.weight("w", "float32", (4, 2), np.ones((4, 2), np.float32))
    y = model.op("Elu", model.op("MatMul", x, w), alpha=0.5)
    z = model.op("Pad", y, model.ints(0, 1, 0, 0), model.constant(-1.5, "float32"), mode="constant")
    name = model.output(z, ("n", 3))
    proto = onnx.load_from_string(model.to_bytes())
    if onnx.defs.onnx_opset_version() >= 23:
        onnx.checker.check_model(proto, full_check=True)
    assert proto.graph.output[0].name == name and proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    assert cppgen.Session(model.to_bytes())(np.ones((2, 4), np.float32)).tolist() == [[-1.5, 4, 4]] * 2
    assert model.constant(2, "int64") is model.constant(2, "int64")


def test_orders_of_memory():
    assert memory_order((2, 3, 4, 5), (60, 20, 5, 1), (60, 20, 5, 1)) == [0, 1, 2, 3]
    assert memory_order((2, 3, 4, 5), (60, 1, 15, 3), (60, 1, 15, 3)) == [0, 2, 3, 1]
    assert memory_order((2, 3), (4, 1), (4, 1)) is None and memory_order((2, 3), (0, 1), (0, 1)) is None
    assert inverse([0, 2, 3, 1]) == [0, 3, 1, 2]


def test_symbolic_sizes():
    sympy = pytest.importorskip("sympy")
    n, m = sympy.symbols("n m", integer=True, positive=True)
    context = Context()
    x = context.model.input("x", "float32", ("n", "m"))
    context.sizes.declare_shape(Value(x.name, x.dtype, (Size(n), Size(m))))
    context.model.output(context.sizes.vector([2, Size(2 * n + m), Size(sympy.Max(n, m)), 7]), (4,))
    assert cppgen.Session(context.model.to_bytes())(np.zeros((3, 5), np.float32)).tolist() == [2, 11, 5, 7]
    with pytest.raises(Unsupported, match="the size k is no size of an input"):
        context.sizes.scalar(Size(sympy.Symbol("k")))
    assert same(product([Size(n), 2]), Size(n + n)) and not same(Size(n), Size(m))
    assert dim_name(Size(2 * n)) == "2*n" and dim_name(Size(sympy.Max(n, m))) is None and dim_name(3) == 3


def test_rows_are_named_as_operators_are():
    assert len(OPERATORS) > 180 and row_of("relu.default") and row_of("add.Scalar") and row_of("frobnicate.default") is None


def test_torch_is_not_imported():
    code = "import sys, cppgen.torch; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
