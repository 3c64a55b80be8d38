"""Inputs and outputs that are no tensors of numbers."""
import asyncio

import numpy as np
import pytest

import cppgen
import cppgen.backend
import models


def test_strings(loaded):
    session = loaded(models.reversed_strings())
    for given in (np.array(["one", "zwölf", ""], object), np.array(["one", "zwölf", ""]), ["one", "zwölf", ""],
                  np.array([b"one", "zwölf".encode(), b""])):
        words = session(given)
        assert words.dtype == object and words.tolist() == ["", "zwölf", "one"]
    assert session.inputs[0].type == "str" and session.inputs[0].dtype == object
    for wrong, message in ((np.float32([1]), "takes strings, not float32"), ([1], "takes strings, not int"),
                           (["a\0b"], "has a null character")):
        with pytest.raises(cppgen.UserError, match="input 'text'.*" + message):
            session(wrong)


def test_sequences(loaded):
    session = loaded(models.joined_sequence())
    y, n, again = session([np.float32([1, 2]), np.float32([3])])
    assert y.tolist() == [1, 2, 3] and n == 2
    assert isinstance(again, list) and [it.tolist() for it in again] == [[1, 2], [3], [3]]
    assert session.inputs[0].kind == "sequence" and str(session.inputs[0]) == "s: sequence of float32"
    for wrong in (np.float32([1]), 5):
        with pytest.raises(cppgen.UserError, match="input 's' is a sequence: it takes a list of arrays"):
            session(wrong)


def test_optionals(loaded):
    session = loaded(models.optional_value())
    assert session(np.float32([1])) and not session(None) and not session()


def test_maps(loaded):
    session = loaded(models.dictionary())
    for result in (session({"c": 3.0, "a": 1.0, "other": 5}), session(x={"c": 3, "a": 1}),
                   session.run({"x": {"a": 1.0, "c": 3.0}})["y"],
                   session(np.array(["c", "a"], object), np.float32([3, 1]))):
        assert result.tolist() == [[1, 0, 3]]
    with pytest.raises(cppgen.UserError, match="input 'x' is a map: it takes a dict, not int"):
        session(x=5)


def zip_map(**keys):
    return models.model([models.node("ZipMap", ["x"], ["m"], domain="ai.onnx.ml", **keys), models.node("Identity", ["m"], ["y"])],
                        [models.tensor("x", ["N", 2])], [models.map_sequence("y", **keys)], opsets={"": 17, "ai.onnx.ml": 3})


@pytest.mark.parametrize("keys, name, type_of_keys", [({"classlabels_strings": ["cat", "dög"]}, "str", str),
                                                      ({"classlabels_int64s": [7, -1]}, "int64", int)])
def test_sequences_of_maps(loaded, keys, name, type_of_keys):
    session = loaded(zip_map(**keys))
    first, second = next(iter(keys.values()))
    expected = [{first: 0.25, second: 0.75}, {first: 1, second: 0}]
    x = np.float32([[0.25, 0.75], [1, 0]])
    for found in (session(x), session.run({"x": x})["y"], session.run([x], outputs=["y"])["y"], asyncio.run(session.run_async([x]))["y"],
                  cppgen.backend.prepare(zip_map(**keys)).run([x])[0]):
        assert found == expected and type(found) is list
    assert {(type(k), type(v)) for k, v in session(x)[0].items()} == {(type_of_keys, float)}
    assert session(np.empty((0, 2), np.float32)) == []
    info, = session.outputs
    assert (info.kind, info.type, info.keys, info.dtype) == ("sequence of maps", "float32", name, np.float32)
    assert str(info) == f"y: sequence of maps from {name} to float32" and session.inputs[0].keys is None
    with pytest.raises(cppgen.UserError, match="out cannot be used"):
        session(x, out=x)


def test_maps_of_packages(tmp_path):
    """Packages know their maps, whatever the instruction set of the version that runs."""
    import cppgen.onnxruntime

    model = zip_map(classlabels_strings=["cat", "dog"])
    package = cppgen.compile(model, output=tmp_path / "maps", isa=["avx2", "scalar"])
    for isa in ("avx2", "scalar"):
        session = cppgen.Session(str(tmp_path / "maps"), isa=isa)
        assert session(np.float32([[0.5, 0.25]])) == [{"cat": 0.5, "dog": 0.25}]
        assert session.metadata["type:y"] == "seq(map(string,tensor(float)))"
    session = cppgen.onnxruntime.InferenceSession(package.path)
    assert session.get_outputs()[0].type == "seq(map(string,tensor(float)))"
    assert session.run(None, {"x": np.float32([[0.5, 0.25]])}) == [[{"cat": 0.5, "dog": 0.25}]]


@pytest.mark.parametrize("name, bits", [("int4", 4), ("uint4", 4), ("int2", 2), ("uint2", 2), ("float4_e2m1fn", 4)])
def test_upper_bits_of_narrow_elements(loaded, name, bits):
    """They are undefined in arrays of ml_dtypes, which has an element in each byte."""
    extended = pytest.importorskip("ml_dtypes")
    if not hasattr(extended, name):
        pytest.skip(f"this ml_dtypes has no {name}")
    number = {"int4": 22, "uint4": 21, "int2": 26, "uint2": 25, "float4_e2m1fn": 23}[name]
    session = loaded(models.model([models.node("Cast", ["x"], ["y"], to=1)], [models.tensor("x", ["N"], number)],
                                  [models.tensor("y", ["N"])], opsets={"": 25 if bits == 2 else 23}))
    elements = np.arange(2**bits, dtype=np.uint8)
    for upper in (0, 0xff << bits & 0xff, 1 << bits):
        x = (elements | upper).astype(np.uint8).view(getattr(extended, name))
        np.testing.assert_array_equal(session(x), elements.view(x.dtype).astype(np.float32))


def test_upper_bits_of_bytes():
    """The same for arrays of bytes, which stand for such elements without ml_dtypes."""
    from cppgen import _inputs

    for name, given, expected in (("int4", np.int8([8, 0x17, -1]), [-8, 7, -1]), ("uint4", np.uint8([8, 0x17, 255]), [8, 7, 15]),
                                  ("int2", np.int8([2, 5, -1]), [-2, 1, -1]), ("uint2", np.uint8([2, 5, 255]), [2, 1, 3])):
        found = _inputs.convert("x", name, given)
        assert found.tolist() == expected and found.dtype == given.dtype
