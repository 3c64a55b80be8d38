"""What the families of idioms are written with.

An idiom is a small model as a framework's exporter writes it, with inputs and the results that NumPy computes for them:

    @idiom
    def squeeze_if_one():
        model = make_model([node("Squeeze", ["x", "axes"], ["y"])], [tensor("x", np.float32, ["n", 1])], [tensor("y", np.float32, ["n"])],
                           {"axes": np.int64([1])})
        return model, [case([x], [x[:, 0]]) for x in (ramp(3, 1), ramp(7, 1))]

All cases of one model run on one compilation, so cases of several sizes test its symbolic dimensions.
"""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

IDIOMS = {}  # name -> function that gives (model, cases)


def idiom(function):
    """Registers a function as FAMILY_NAME, where the family is its module."""
    name = f"{function.__module__}_{function.__name__}"
    if name in IDIOMS:
        raise ValueError(f"two idioms are called {name}")
    IDIOMS[name] = function
    return function


def idioms(names, maker):
    """Registers `maker(value)` for each item of the dictionary `names`, under its key."""
    for name, value in names.items():
        full = f"{maker.__module__}_{name}"
        if full in IDIOMS:
            raise ValueError(f"two idioms are called {full}")
        IDIOMS[full] = lambda value=value: maker(value)


def onnx_type(dtype):
    """The number of an element type: a NumPy type, or the number itself for types that NumPy does not have."""
    return dtype if isinstance(dtype, int) else TYPES[np.dtype(dtype)]


TYPES = {np.dtype(n): getattr(TensorProto, t) for n, t in {
    "float32": "FLOAT", "float64": "DOUBLE", "float16": "FLOAT16", "int8": "INT8", "int16": "INT16", "int32": "INT32",
    "int64": "INT64", "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64", "bool": "BOOL",
    "object": "STRING"}.items()}


def tensor(name, dtype, shape):
    """The declaration of an input or output; shape None leaves the rank open, strings are symbolic dimensions."""
    return helper.make_tensor_value_info(name, onnx_type(dtype), shape)


def sequence(name, dtype, shape=None):
    return helper.make_tensor_sequence_value_info(name, onnx_type(dtype), shape)


def node(op, inputs, outputs, **attributes):
    """A node; `domain` may be among the attributes. A NumPy array as an attribute becomes a tensor."""
    attributes = {k: as_tensor(v) if isinstance(v, np.ndarray) else v for k, v in attributes.items()}
    return helper.make_node(op, inputs, outputs, **attributes)


def const(name, value):
    """A Constant node, as torch's exporter writes numbers."""
    return node("Constant", [], [name], value=np.asarray(value))


def as_tensor(value, name=""):
    """A NumPy array or a TensorProto as a TensorProto of this name."""
    if isinstance(value, TensorProto):
        copy = TensorProto()
        copy.CopyFrom(value)
        copy.name = name
        return copy
    return numpy_helper.from_array(np.asarray(value), name)


def raw_tensor(dtype, shape, data):
    """A tensor of a type that NumPy does not have, from its bytes."""
    t = TensorProto()
    t.data_type = onnx_type(dtype)
    t.dims.extend(shape)
    t.raw_data = bytes(data)
    return t


def graph(nodes, inputs, outputs, initializers=None, name="g"):
    """A graph; bodies of If, Loop and Scan are graphs, too. `initializers`: name -> array or TensorProto."""
    constants = [as_tensor(v, k) for k, v in (initializers or {}).items()]
    return helper.make_graph(nodes, name, inputs, outputs, constants)


def make_model(nodes, inputs, outputs, initializers=None, opset=17, domains=None, functions=(), ir_version=8):
    """A model. `domains`: domain -> version of further operator sets."""
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, v) for d, v in (domains or {}).items()]
    model = helper.make_model(graph(nodes, inputs, outputs, initializers), opset_imports=opsets)
    model.functions.extend(functions)
    model.ir_version = ir_version
    return model


def case(inputs, outputs):
    """Inputs and results in the model's order: arrays, TensorProtos, or lists of arrays for sequences."""
    return inputs, outputs


def ramp(*shape, dtype=np.float32, scale=0.37):
    """Numbers between -1 and 1 that repeat only after long, the same on every machine."""
    count = int(np.prod(shape, dtype=np.int64))
    values = np.sin(np.arange(1, count + 1, dtype=np.float64) * scale * 2.399963)
    return values.reshape(shape).astype(dtype)
