"""Small models for tests."""
from onnx import TensorProto, helper

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def tensor(name, dims=None, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def model(nodes, inputs, outputs, initializers=(), opsets=None, functions=()):
    graph = helper.make_graph(nodes, "test", inputs, outputs, list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid(d, v) for d, v in (opsets or {"": 17}).items()])
    made.ir_version = 8
    made.producer_name = "tests"
    return made


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs, outputs, **attributes)


def relu(dims=("N", 4), dtype=FLOAT):
    """y = max(x, 0)"""
    return model([node("Relu", ["x"], ["y"])], [tensor("x", dims, dtype)], [tensor("y", dims, dtype)])


def difference():
    """d = a - b, s = a + b, for matrices [N, M]"""
    return model([node("Sub", ["a", "b"], ["d"]), node("Add", ["a", "b"], ["s"])],
                 [tensor("a", ["N", "M"]), tensor("b", ["N", "M"])], [tensor("d", ["N", "M"]), tensor("s", ["N", "M"])])


def positions():
    """p = the positions of what is not zero in x: how many, only a run knows."""
    return model([node("NonZero", ["x"], ["p"])], [tensor("x", ["N"])], [tensor("p", [1, "count"], INT64)])


def choice_of_ranks():
    """y = x if c, else x with one more dimension: how many dimensions y has, only a run knows."""
    branch = lambda of, out: helper.make_graph([of], out, [], [tensor(out)])
    return model([node("If", ["c"], ["z"], then_branch=branch(node("Identity", ["x"], ["t"]), "t"),
                       else_branch=branch(node("Unsqueeze", ["x", "axes"], ["e"]), "e")), node("Relu", ["z"], ["y"])],
                 [tensor("c", [], TensorProto.BOOL), tensor("x", [2, 3])], [tensor("y")], [helper.make_tensor("axes", INT64, [1], [0])])


def joined_sequence():
    """y = all elements of the sequence s; n = their number; again = s with its last element once more."""
    s = helper.make_tensor_sequence_value_info("s", FLOAT, None)
    return model([node("ConcatFromSequence", ["s"], ["y"], axis=0), node("SequenceLength", ["s"], ["n"]),
                  node("SequenceAt", ["s", "last"], ["z"]), node("SequenceInsert", ["s", "z"], ["again"])],
                 [s], [tensor("y", ["total"]), tensor("n", [], INT64), helper.make_tensor_sequence_value_info("again", FLOAT, None)],
                 [helper.make_tensor("last", INT64, [], [-1])])


def reversed_strings():
    """words = text, backwards"""
    initializers = [helper.make_tensor(name, INT64, [1], [value])
                    for name, value in (("from", -1), ("to", -(2**63)), ("axes", 0), ("steps", -1))]
    return model([node("Slice", ["text", "from", "to", "axes", "steps"], ["words"])], [tensor("text", ["N"], STRING)],
                 [tensor("words", ["N"], STRING)], initializers)


def optional_value():
    """given = whether x has a value; x is an optional tensor"""
    x = helper.make_value_info("x", helper.make_optional_type_proto(helper.make_tensor_type_proto(FLOAT, ["N"])))
    return model([node("OptionalHasElement", ["x"], ["given"])], [x], [tensor("given", [], TensorProto.BOOL)])


def dictionary():
    """y = the values of "a", "b" and "c" in the map x"""
    x = _map_info("x")
    return model([helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", string_vocabulary=["a", "b", "c"])],
                 [x], [tensor("y", [1, 3])], opsets={"": 17, "ai.onnx.ml": 3})


def _map_info(name):
    from onnx import ValueInfoProto

    info = ValueInfoProto()
    info.name = name
    info.type.map_type.key_type = STRING
    info.type.map_type.value_type.tensor_type.elem_type = FLOAT
    info.type.map_type.value_type.tensor_type.shape.SetInParent()
    return info


def many_kernels(count=24):
    """A chain whose kernels all differ, not in numbers alone, and which takes several seconds to compile."""
    nodes, initializers, value, width = [], [], "x", 16
    for i in range(count):
        rows, width = width, 17 + 3 * i
        initializers.append(helper.make_tensor(f"w{i}", FLOAT, [rows, width], [0.01] * (rows * width)))
        nodes.append(node("MatMul", [value, f"w{i}"], [f"m{i}"]))
        value = f"m{i}"
        for digit in range(6):
            operator = "Tanh" if i >> digit & 1 else "Sigmoid"
            nodes.append(node(operator, [value], [f"d{i}_{digit}"]))
            value = f"d{i}_{digit}"
        nodes.append(node("Softmax", [value], [f"s{i}"], axis=-1))
        value = f"s{i}"
    return model(nodes, [tensor("x", [7, 16])], [tensor(value, [7, width])], initializers)


def map_sequence(name, classlabels_int64s=None, **_):
    """A sequence of maps from strings or integers to floats, as classifiers return it."""
    from onnx import ValueInfoProto

    info = ValueInfoProto()
    info.name = name
    kind = info.type.sequence_type.elem_type.map_type
    kind.key_type = TensorProto.INT64 if classlabels_int64s else STRING
    kind.value_type.tensor_type.elem_type = FLOAT
    kind.value_type.tensor_type.shape.SetInParent()
    return info


def attention():
    """y = softmax(x K^T) V for one head of 4 with caches of keys and values."""
    return model([node("Concat", ["past_k", "x"], ["k"], axis=1), node("Concat", ["past_v", "x"], ["v"], axis=1),
                  node("Transpose", ["k"], ["t"], perm=[0, 2, 1]), node("MatMul", ["x", "t"], ["scores"]),
                  node("Softmax", ["scores"], ["weights"]), node("MatMul", ["weights", "v"], ["y"])],
                 [tensor("past_k", ["B", "P", 4]), tensor("x", ["B", "n", 4]), tensor("past_v", ["B", "P", 4])],
                 [tensor("y", ["B", "n", 4]), tensor("k", ["B", "P+n", 4]), tensor("v", ["B", "P+n", 4])])
