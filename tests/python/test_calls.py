"""Calls of sessions with tensors of numbers."""
import array
import types

import numpy as np
import pytest

import cppgen
import models


def test_positional_and_named_inputs(loaded):
    session = loaded(models.difference())
    a, b = np.float32([[5, 6]]), np.float32([[1, 2]])
    for d, s in (session(a, b), session(a, b=b), session(b=b, a=a)):
        assert d.tolist() == [[4, 4]] and s.tolist() == [[6, 8]]
    results = session.run({"a": a, "b": b})
    assert list(results) == ["d", "s"] and results["s"].tolist() == [[6, 8]]
    assert list(session.run([a, b], outputs=["s"])) == ["s"]


def test_run_keeps_inputs_that_are_removed_from_the_dict(loaded):
    class Removing:
        """An input that empties the dict when it is read, as another thread could."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            feed.clear()
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    session = loaded(models.difference())
    feed = {"a": Removing(np.full((300, 300), 5, np.float32)), "b": np.full((300, 300), 3, np.float32)}
    assert np.unique(session.run(feed)["d"]).tolist() == [2] and not feed


def test_run_takes_any_mapping(loaded):
    session = loaded(models.difference())
    a, b = np.float32([[5, 6]]), np.float32([[1, 2]])
    assert session.run(types.MappingProxyType({"b": b, "a": a}))["d"].tolist() == [[4, 4]]
    with pytest.raises(cppgen.UserError, match="'c'; it has 'd', 's'"):
        session.run({"a": a, "b": b}, outputs=["c"])


def test_one_output_is_no_tuple(loaded, x24):
    y = loaded(models.relu())(x24)
    assert isinstance(y, np.ndarray) and y.dtype == np.float32
    np.testing.assert_array_equal(y, np.maximum(x24, 0))


def test_descriptions(loaded):
    session = loaded(models.difference())
    assert [it.name for it in session.inputs] == ["a", "b"]
    assert session.inputs[0].shape == ("N", "M") and session.inputs[0].dtype == np.float32
    assert str(session.outputs[1]) == "s: float32[N, M]"
    assert repr(session) == "<cppgen.Session (a: float32[N, M], b: float32[N, M]) -> (d: float32[N, M], s: float32[N, M])>"
    assert session.metadata["producer_name"] == "tests" and session.metadata["opset:ai.onnx"] == "17"
    assert session.stats["steps"] >= 1
    doubled = models.model([models.node("Concat", ["x", "x"], ["y"], axis=0)], [models.tensor("x", ["N", 2])],
                           [models.tensor("y", None)])
    assert loaded(doubled).outputs[0].shape == ("N*2", 2)


def test_sizes_are_symbolic(loaded):
    session = loaded(models.relu())
    for rows in (0, 1, 3, 1000):
        assert session(np.ones((rows, 4), np.float32)).shape == (rows, 4)


def test_dense_arrays_are_not_copied(loaded, x24, monkeypatch):
    session = loaded(models.relu())
    monkeypatch.setattr("cppgen._inputs.convert", lambda *_: pytest.fail("a dense array was converted"))
    read_only = x24.copy()
    read_only.flags.writeable = False
    for dense in (x24, x24[1:], read_only, memoryview(x24)):
        session(dense)


def test_other_arrays(loaded, x24):
    session = loaded(models.relu())
    wanted = np.maximum(x24, 0)
    misaligned = np.frombuffer(b"\0" + x24.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 4)
    for given in (np.asfortranarray(x24), x24[:, ::-1][:, ::-1], x24.astype(">f4"), misaligned, x24.tolist()):
        np.testing.assert_array_equal(session(given), wanted)
    np.testing.assert_array_equal(session(memoryview(array.array("f", x24.ravel())).cast("B").cast("f", (2, 4))), wanted)


class Exported:
    """Has DLPack and nothing else."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_dlpack(loaded, x24):
    np.testing.assert_array_equal(loaded(models.relu())(Exported(x24)), np.maximum(x24, 0))


def test_tensors_of_torch(loaded, x24):
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(loaded(models.relu())(torch.from_numpy(x24)), np.maximum(x24, 0))


def test_out(loaded, x24):
    session = loaded(models.relu())
    y = np.empty_like(x24)
    assert session(x24, out=y) is y
    np.testing.assert_array_equal(y, np.maximum(x24, 0))
    two = loaded(models.difference())
    d = np.empty((2, 4), np.float32)
    results = two(x24, x24, out=(d, None))
    assert results[0] is d and results[1].tolist() == (x24 * 2).tolist()
    assert two.run({"a": x24, "b": x24}, out={"s": d})["s"] is d


def test_an_input_may_be_called_out(loaded):
    session = loaded(models.model([models.node("Relu", ["out"], ["y"])], [models.tensor("out", [2])], [models.tensor("y", [2])]))
    assert session.run({"out": np.float32([-1, 1])})["y"].tolist() == [0, 1]
    assert session(np.float32([-1, 1])).tolist() == [0, 1]


@pytest.mark.parametrize("call, message", [
    (lambda s, x: s(x.astype(np.float64)), "input 'x' takes float32, not float64: .astype('float32') converts it"),
    (lambda s, x: s(x[:, :3]), "input 'x' axis 1 is 3; the model requires 4"),
    (lambda s, x: s(x[0]), "input 'x'"),
    (lambda s, x: s(z=x), "the model has no input 'z'; it has 'x'"),
    (lambda s, x: s(), "input 'x' is missing"),
    (lambda s, x: s(x, x), "2 inputs are given; the model has 1: 'x'"),
    (lambda s, x: s(x, x=x), "input 'x' is given twice"),
    (lambda s, x: s("text"), "input 'x' takes float32, not <U4"),
    (lambda s, x: s(None), "input 'x' takes float32, not object"),
    (lambda s, x: s([[1, 2], [3]]), "input 'x'"),
    (lambda s, x: s(x, out=np.empty((3, 4), np.float32)), "output 'y' was given shape [3, 4]; the result has shape [2, 4]"),
    (lambda s, x: s(x, out=np.empty((2, 4))), "output 'y': out must be a writable, C-contiguous array of float32"),
    (lambda s, x: s(x, out=(x, x)), "out has 2 arrays; the model has 1 outputs"),
    (lambda s, x: s.run({"x": x}, outputs=["q"]), "the model has no output 'q'; it has 'y'"),
    (lambda s, x: s.run({"x": x}, out={"q": x}), "out: the model has no output 'q'; it has 'y'"),
])
def test_mistakes_name_the_tensor(loaded, x24, call, message):
    with pytest.raises(cppgen.UserError) as error:
        call(loaded(models.relu()), x24)
    assert message in str(error.value)
    assert isinstance(error.value, ValueError) and isinstance(error.value, cppgen.Error)


@pytest.mark.parametrize("name", ["float16", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                  "uint64", "bool"])
def test_types_of_numpy(loaded, name):
    dtype = getattr(models.TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper()))
    session = loaded(models.model([models.node("Concat", ["x", "x"], ["y"], axis=0)], [models.tensor("x", ["N"], dtype)],
                                  [models.tensor("y", ["M"], dtype)]))
    x = np.array([0, 1, 1, 0, 1], name)
    y = session(x)
    assert y.dtype == x.dtype and y.tolist() == [*x.tolist(), *x.tolist()]
    assert session([]).shape == (0,)


def test_numbers_of_python_take_the_type_of_the_input(loaded):
    session = loaded(models.model([models.node("Abs", ["x"], ["y"])], [models.tensor("x", [], models.TensorProto.INT8)],
                                  [models.tensor("y", [], models.TensorProto.INT8)]))
    assert session(-3) == 3 and session(-3).shape == () and session(np.array(-3, np.int8)) == 3
    for value, message in ((1.5, "input 'x' takes int8, not float64"), (1000, "cannot hold all")):
        with pytest.raises(cppgen.UserError, match=message):
            session(value)


def test_run_takes_several_inputs(loaded, x24):
    session = loaded(models.relu())
    assert session.run([x24])["y"].shape == session.run((x24,))["y"].shape == (2, 4)
    with pytest.raises(cppgen.UserError, match="run takes a dict, a list or a tuple of inputs, not ndarray"):
        session.run(x24)


def test_bfloat16(loaded):
    session = loaded(models.relu(("N",), models.TensorProto.BFLOAT16))
    bits = np.array([0x3F80, 0xBF80], np.uint16)  # 1, -1
    result = session(bits)
    assert result.view(np.uint16).tolist() == [0x3F80, 0]
    assert session([1.0, -1.0]).view(np.uint16).tolist() == [0x3F80, 0] or session.inputs[0].dtype == np.uint16
    of_onnx = np.dtype((np.uint16, {"bfloat16": (np.uint16, 0)}))  # as onnx 1.17 has it, with a field
    assert session(np.array([0x3FC0, 0xC000], np.uint16).view(of_onnx)).view(np.uint16).tolist() == [0x3FC0, 0]
    extended = pytest.importorskip("ml_dtypes")
    values = np.array([1.5, -2], extended.bfloat16)
    assert session(values).dtype == extended.bfloat16 and session(values).tolist() == [1.5, 0]
    out = np.empty(2, extended.bfloat16)
    assert session(values, out=out) is out and out.tolist() == [1.5, 0]


def test_many_inputs_and_outputs(loaded):
    count = 40
    names = [f"x{i}" for i in range(count)]
    nodes = [models.node("Neg", [f"x{i}"], [f"y{i}"]) for i in range(count)]
    session = loaded(models.model(nodes, [models.tensor(n, ["N", 1, 2]) for n in names],
                                  [models.tensor(f"y{i}", ["N", 1, 2]) for i in range(count)]))
    given = {name: np.full((3, 1, 2), i, np.float32) for i, name in enumerate(names)}
    results = session(**given)
    assert len(results) == count and all((y == -i).all() and y.shape == (3, 1, 2) for i, y in enumerate(results))


def test_sizes_that_only_a_run_knows(loaded):
    session = loaded(models.positions())
    for _ in range(2):
        assert session(np.float32([0, 5, 0, 7])).tolist() == [[1, 3]]
        assert session(np.zeros(3, np.float32)).shape == (1, 0)
    assert session.outputs[0].shape[0] == 1 and isinstance(session.outputs[0].shape[1], str)
    with pytest.raises(cppgen.UserError, match="out"):
        session(np.zeros(3, np.float32), out=np.empty((1, 0), np.int64))
    with pytest.raises(cppgen.UserError, match="input 'x' takes float32"):
        session(np.zeros(3))


def test_ranks_that_only_a_run_knows(loaded, x24):
    session = loaded(models.choice_of_ranks())
    assert session.outputs[0].shape is None and str(session.outputs[0]) == "y: float32[...]"
    x = np.float32([[1, -2, 3], [4, 5, -6]])
    for condition, expected in ((True, x), (False, x[None])):
        for y in (session(np.array(condition), x), session.run({"c": np.array(condition), "x": x})["y"]):
            assert np.array_equal(y, np.maximum(expected, 0)) and y.shape == expected.shape
    with pytest.raises(cppgen.UserError, match="only a run knows the sizes"):
        session(np.array(True), x, out=np.empty((2, 3), np.float32))
