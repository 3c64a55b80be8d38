"""Models of ai.onnx.ml whose inputs are maps, as the exporter of scikit-learn's DictVectorizer writes them."""
import numpy as np
from onnx import SequenceProto, TensorProto, ValueInfoProto, helper, numpy_helper

from idiom import case, const, graph, idiom, idioms, make_model, node, onnx_type, ramp, tensor
from learners import DOMAINS, learner, maps, softmax


def map_type(name, key, value, shape=(1,)):
    """The declaration of a map; exporters give values the shape [1] or none."""
    declared = ValueInfoProto(name=name)
    of = declared.type.map_type
    of.key_type = onnx_type(key)
    of.value_type.CopyFrom(helper.make_tensor_type_proto(onnx_type(value), shape))
    return declared


def map_of(items, key, value):
    """A dictionary as ONNX's test data hold it."""
    values = [numpy_helper.from_array(np.array(v, object if value is object else value)) for v in items.values()]
    keys = [k.encode() if key is object else k for k in items]
    message = helper.make_map("", onnx_type(key), keys,
                              helper.make_sequence("", SequenceProto.TENSOR, []))
    message.values.tensor_values.extend(values)
    return message


def list_of_maps(keys, rows):
    sequence = SequenceProto(elem_type=SequenceProto.MAP)
    for row in rows:
        sequence.map_values.append(map_of(dict(zip(keys, row)), object if isinstance(keys[0], str) else np.int64,
                                          np.float32))
    return sequence


def vector(items, vocabulary, dtype):
    absent = "" if dtype is object else 0
    return np.array([[items.get(k, absent) for k in vocabulary]], dtype)


WORDS = ["city=Bern", "city=Lima", "temperature", "wind"]
ROWS = [{"city=Lima": 1.0, "temperature": 31.5}, {"wind": -2.0, "temperature": 0.5, "city=Bern": 1.0, "city=Lima": 0.25},
        {"city=Oslo": 1.0}, {}]


@idiom
def dict_vectorizer_pipeline():
    """DictVectorizer and LogisticRegression of three classes, probabilities as a list of maps."""
    lines, bias = ramp(3, 4), np.float32([0.1, 0, -0.1])
    nodes = [learner("DictVectorizer", ["x"], ["v"], string_vocabulary=WORDS),
             learner("LinearClassifier", ["v"], ["output_label", "p"], coefficients=lines.ravel().tolist(),
                     intercepts=bias.tolist(), classlabels_ints=[0, 1, 2], multi_class=1, post_transform="SOFTMAX"),
             learner("ZipMap", ["p"], ["output_probability"], classlabels_int64s=[0, 1, 2])]
    model = make_model(nodes, [map_type("x", object, np.float32)],
                       [tensor("output_label", np.int64, [None]), maps("output_probability", 7)], domains=DOMAINS)
    cases = []
    for row in ROWS:
        p = softmax(vector(row, WORDS, np.float32) @ lines.T + bias)
        cases.append(case([map_of(row, object, np.float32)],
                          [p.argmax(1), list_of_maps([0, 1, 2], p.astype(np.float32))]))
    return model, cases


def vectorizer(key, value, vocabulary, rows):
    attribute = "string_vocabulary" if key is object else "int64_vocabulary"
    nodes = [learner("DictVectorizer", ["x"], ["y"], **{attribute: vocabulary})]
    model = make_model(nodes, [map_type("x", key, value, ())], [tensor("y", value, [None, None])], domains=DOMAINS)
    return model, [case([map_of(r, key, value)], [vector(r, vocabulary, value)]) for r in rows]


NUMBERS = [{3: 1.5, -7: 2.0}, {2**40: 8.0, 3: -1.0, 5: 4.0}, {1: 1.0}]
idioms({
    "vectorizer_float64": (object, np.float64, WORDS, ROWS),
    "vectorizer_int64": (object, np.int64, WORDS, [{"wind": 2**53 + 1, "temperature": -3}]),
    "vectorizer_of_numbers": (np.int64, np.float32, [-7, 3, 2**40], NUMBERS),
    "vectorizer_strings": (np.int64, object, [5, 3, 1], [{1: "one", 3: "three"}, {4: "four"}]),
    "vectorizer_repeated_words": (object, np.float32, ["b", "a", "b"], [{"a": 1.0, "b": 2.0}, {"b": 5.0}]),
}, lambda a: vectorizer(*a))


def cast_of(value, to):
    if to is object:
        return value if isinstance(value, str) else "%f" % value
    return float(value) if to is np.float32 else int(float(value))


def cast_map(value, to, rows, size=None):
    target = {np.float32: "TO_FLOAT", np.int64: "TO_INT64", object: "TO_STRING"}[to]
    form = {"map_form": "SPARSE", "max_map": size} if size else {"map_form": "DENSE"}
    model = make_model([learner("CastMap", ["x"], ["y"], cast_to=target, **form)],
                       [map_type("x", np.int64, value)], [tensor("y", to, [1, size])], domains=DOMAINS)
    absent = "0.f" if to is object else 0
    cases = []
    for row in rows:
        keys = range(size) if size else sorted(row)
        y = np.array([[cast_of(row[k], to) if k in row else absent for k in keys]], to)
        cases.append(case([map_of(row, np.int64, value)], [y]))
    return model, cases


FLOATS = [{4: 1.5, 0: -2.75, 2: 1e-4}, {1: 3.0}, {}]
TEXTS = [{4: "1.5", 0: "-2.75", 2: "17"}, {3: "0.25"}]
idioms({
    "cast_dense": (np.float32, np.float32, [{4: 1.5, -20: -2.75, 2**40: 0.5}, *FLOATS]),
    "cast_dense_to_int64": (np.float32, np.int64, FLOATS),
    "cast_dense_to_strings": (np.float32, object, FLOATS),
    "cast_dense_strings": (object, object, TEXTS),
    "cast_dense_strings_to_float": (object, np.float32, TEXTS),
    "cast_dense_strings_to_int64": (object, np.int64, [{9: "12", 2: "-5"}]),
    "cast_sparse": (np.float32, np.float32, FLOATS, 5),
    "cast_sparse_to_int64": (np.float32, np.int64, FLOATS, 6),
    "cast_sparse_to_strings": (np.float32, object, FLOATS, 5),
    "cast_sparse_strings_to_float": (object, np.float32, TEXTS, 5),
}, lambda a: cast_map(*a))


@idiom
def two_maps_and_a_tensor():
    """A map of features and one of numbers, both joined with columns that are a tensor."""
    nodes = [learner("DictVectorizer", ["words"], ["a"], string_vocabulary=WORDS),
             learner("CastMap", ["numbers"], ["b"], cast_to="TO_FLOAT", map_form="SPARSE", max_map=5),
             node("Concat", ["a", "columns", "b"], ["y"], axis=1)]
    model = make_model(nodes, [map_type("words", object, np.float32), tensor("columns", np.float32, [1, "n"]),
                               map_type("numbers", np.int64, np.float32)],
                       [tensor("y", np.float32, [1, None])], domains=DOMAINS)
    cases = []
    for words, numbers, n in zip(ROWS, FLOATS, (3, 1, 20)):
        columns = ramp(1, n)
        y = np.concatenate([vector(words, WORDS, np.float32), columns, vector(numbers, range(5), np.float32)], 1)
        cases.append(case([map_of(words, object, np.float32), columns, map_of(numbers, np.int64, np.float32)], [y]))
    return model, cases


@idiom
def map_in_branches_and_functions():
    """A branch of If and a function of the model take the map, under another name."""
    function = helper.make_function("own", "Vector", ["m"], ["v"],
                                    [learner("DictVectorizer", ["m"], ["v"], string_vocabulary=WORDS)],
                                    [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])
    out = [tensor("r", np.float32, [1, None])]
    then = graph([learner("DictVectorizer", ["copy"], ["r"], string_vocabulary=WORDS[::-1])], [], out, name="then")
    other = graph([const("r", np.float32([[7, 8, 9, 10]]))], [], out, name="else")
    nodes = [node("Identity", ["x"], ["copy"]), node("Vector", ["copy"], ["f"], domain="own"),
             node("If", ["take"], ["b"], then_branch=then, else_branch=other), node("Add", ["f", "b"], ["y"])]
    model = make_model(nodes, [tensor("take", bool, []), map_type("x", object, np.float32)],
                       [tensor("y", np.float32, [1, 4])], domains={**DOMAINS, "own": 1}, functions=[function])
    cases = []
    for row, take in zip(ROWS, (True, False, True, False)):
        v = vector(row, WORDS, np.float32)
        cases.append(case([np.array(take), map_of(row, object, np.float32)],
                          [v + (v[:, ::-1] if take else np.float32([[7, 8, 9, 10]]))]))
    return model, cases
