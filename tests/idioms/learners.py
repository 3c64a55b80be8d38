"""Models of ai.onnx.ml as the exporters of scikit-learn, XGBoost and LightGBM write them."""
import numpy as np
from onnx import TensorProto, ValueInfoProto

from idiom import case, const, idiom, idioms, make_model, node, ramp, tensor

ML = "ai.onnx.ml"
DOMAINS = {ML: 3}


def learner(op, inputs, outputs, **attributes):
    return node(op, inputs, outputs, domain=ML, **{k: v for k, v in attributes.items() if v is not None})


def maps(name, key):
    """The declaration of a sequence of maps from `key` to float."""
    declared = ValueInfoProto(name=name)
    element = declared.type.sequence_type.elem_type.map_type
    element.key_type = key
    element.value_type.tensor_type.elem_type = TensorProto.FLOAT
    return declared


def softmax(x):
    power = np.exp(x - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# --- Trees: a full one as (feature, threshold, no, yes), a leaf as its votes [(target, weight)]

def grow(depth, features, seed, leaf):
    """A tree whose tests and votes follow from the seed."""
    if depth == 0:
        return leaf(seed)
    threshold = np.float32(np.sin(seed * 12.9898))
    return (seed * 7 % features, threshold, grow(depth - 1, features, seed * 2 + 1, leaf),
            grow(depth - 1, features, seed * 2 + 2, leaf))


def attributes_of(trees, votes, mode="BRANCH_LEQ", tracks=False):
    a = {k: [] for k in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                         "hitrates", "missing_value_tracks_true")}
    v = {k: [] for k in ("treeids", "nodeids", "ids", "weights")}
    for t, tree in enumerate(trees):
        rest, count = [tree], 1
        for n, own in enumerate(rest):
            leaf = isinstance(own, list)
            links = (0, 0) if leaf else (count + 1, count)
            row = (t, n, 0 if leaf else own[0], 0.0 if leaf else float(own[1]), "LEAF" if leaf else mode, links[0], links[1],
                   1.0, int(tracks and not leaf and own[0] % 2))
            for k, value in zip(a, row):
                a[k].append(value)
            if leaf:
                for target, weight in own:
                    for k, value in zip(v, (t, n, target, float(np.float32(weight)))):
                        v[k].append(value)
            else:
                rest.extend(own[2:])
                count += 2
    return {**{f"nodes_{k}": x for k, x in a.items()}, **{f"{votes}_{k}": x for k, x in v.items()}}


def scores_of(trees, x, targets, test=np.less_equal, tracks=False):
    result = np.zeros((len(x), targets))
    for row, out in zip(x, result):
        for own in trees:
            while not isinstance(own, list):
                value = row[own[0]]
                yes = bool(tracks and own[0] % 2) if np.isnan(value) else test(value, own[1])
                own = own[3] if yes else own[2]
            for target, weight in own:
                out[target] += np.float32(weight)
    return result.astype(np.float32)


def rows(count, features):
    return ramp(count, features, scale=0.73)


SIZES = (1, 3, 8, 21, 70)


# --- Pipelines

@idiom
def scaler_logistic_regression_zipmap():
    """StandardScaler and LogisticRegression of three classes, probabilities as a list of maps."""
    offset, scale, lines, bias = ramp(4), np.float32([2, 0.5, 1, 4]), ramp(3, 4), np.float32([0.1, 0, -0.1])
    nodes = [learner("Scaler", ["x"], ["s"], offset=offset.tolist(), scale=scale.tolist()),
             learner("LinearClassifier", ["s"], ["label", "raw"], coefficients=lines.ravel().tolist(),
                     intercepts=bias.tolist(), classlabels_ints=[0, 1, 2], multi_class=1, post_transform="SOFTMAX"),
             learner("Normalizer", ["raw"], ["p"], norm="L1"),
             node("Cast", ["label"], ["output_label"], to=7),
             learner("ZipMap", ["p"], ["output_probability"], classlabels_int64s=[0, 1, 2])]
    model = make_model(nodes, [tensor("x", np.float32, [None, 4])],
                       [tensor("output_label", np.int64, [None]), maps("output_probability", 7)], domains=DOMAINS)
    cases = []
    for n in SIZES:
        x = rows(n, 4)
        p = softmax(((x - offset) * scale) @ lines.T + bias)
        cases.append(case([x], [p.argmax(1), [np.int64([0, 1, 2]), p.astype(np.float32)]]))
    return model, cases


@idiom
def column_transformer():
    """Numbers that may be missing and strings, one input for each column, with classes that are strings."""
    cats, lines, bias = ["Bern", "Kyiv", "Lima"], ramp(1, 5), np.float32([0.2])
    nodes = [node("Concat", ["age", "fare"], ["numbers"], axis=1),
             learner("Imputer", ["numbers"], ["filled"], imputed_value_floats=[30.0, 8.0], replaced_value_float=np.nan),
             learner("Scaler", ["filled"], ["scaled"], offset=[28.0, 10.0], scale=[0.1, 0.05]),
             learner("OneHotEncoder", ["city"], ["hot"], cats_strings=cats, zeros=1),
             const("flat", np.int64([-1, 3])), node("Reshape", ["hot", "flat"], ["columns"]),
             node("Concat", ["scaled", "columns"], ["all"], axis=1),
             learner("LinearClassifier", ["all"], ["label", "p"], coefficients=lines.ravel().tolist(),
                     intercepts=bias.tolist(), classlabels_strings=["no", "yes"], post_transform="LOGISTIC"),
             learner("ZipMap", ["p"], ["maps"], classlabels_strings=["no", "yes"])]
    model = make_model(nodes, [tensor("age", np.float32, [None, 1]), tensor("fare", np.float32, [None, 1]),
                               tensor("city", object, [None, 1])],
                       [tensor("label", object, [None]), tensor("p", np.float32, [None, 2]), maps("maps", 8)],
                       domains=DOMAINS)
    cases = []
    for n in (1, 5, 9):
        age, fare = 28 + 20 * rows(n, 1), 10 + 9 * rows(n, 1)
        age[::3] = np.nan
        city = np.array([[("Lima", "Oslo", "Bern", "Kyiv")[i % 4]] for i in range(n)], object)
        hot = np.float32([[c == k for k in cats] for c in city[:, 0]])
        x = np.concatenate([(np.where(np.isnan(age), 30, age) - 28) * 0.1, (fare - 10) * 0.05, hot], 1)
        score = (x @ lines.T + bias)[:, 0]
        p = np.float32(np.stack([sigmoid(-score), sigmoid(score)], 1))
        label = np.array(["yes" if s > 0 else "no" for s in score], object)
        cases.append(case([np.float32(age), np.float32(fare), city],
                          [label, p, [np.array(["no", "yes"], object), p]]))
    return model, cases


def classifier(trees, labels, expected, features, post="NONE", strings=False, **attributes):
    own = attributes_of(trees, "class", tracks=attributes.pop("tracks", False))
    kind = {"classlabels_strings" if strings else "classlabels_int64s": labels}
    nodes = [learner("TreeEnsembleClassifier", ["x"], ["y", "p"], post_transform=post, **own, **kind, **attributes)]
    model = make_model(nodes, [tensor("x", np.float32, ["rows", features])],
                       [tensor("y", object if strings else np.int64, ["rows"]), tensor("p", np.float32, ["rows", len(labels)])],
                       domains=DOMAINS)
    return model, [case([x], list(expected(x))) for x in (rows(n, features) for n in SIZES)]


@idiom
def random_forest():
    """RandomForestClassifier of three classes: each leaf votes for all."""
    def leaf(seed):
        share = np.float32(np.abs(np.sin(seed + np.arange(3)))) + np.float32(0.1)
        return list(enumerate(share / share.sum() / 9))
    trees = [grow(4, 6, s, leaf) for s in range(1, 10)]

    def expected(x):
        p = scores_of(trees, x, 3)
        return np.array(["a", "b", "c"], object)[p.argmax(1)], p
    return classifier(trees, ["a", "b", "c"], expected, 6, strings=True)


@idiom
def random_forest_of_two():
    """Of two classes only the second gets votes, by class id 0; the other gets what is left."""
    trees = [grow(3, 5, s, lambda seed: [(0, np.abs(np.sin(seed)) / 7)]) for s in range(1, 8)]

    def expected(x):
        p = scores_of(trees, x, 1)[:, 0]
        return np.int64(p > 0.5), np.float32(np.stack([1 - p, p], 1))
    return classifier(trees, [0, 1], expected, 5)


@idiom
def gradient_boosting_of_two():
    """XGBoost and LightGBM: one score, the logistic function, NaN to a side that each node chooses."""
    trees = [grow(5, 5, s, lambda seed: [(0, np.cos(seed))]) for s in range(1, 18)]

    def expected(x):
        x[::2, 1] = np.nan
        x[1::3, 2] = np.nan
        s = scores_of(trees, x, 1, tracks=True)[:, 0] + np.float32(0.25)
        return np.int64(s > 0), np.float32(np.stack([sigmoid(-s), sigmoid(s)], 1))
    return classifier(trees, [0, 1], expected, 5, post="LOGISTIC", tracks=True, base_values=[0.25])


@idiom
def gradient_boosting_of_many():
    """Each tree votes for one class."""
    trees = [grow(3, 5, s, lambda seed, s=s: [(s % 4, np.cos(seed))]) for s in range(1, 21)]

    def expected(x):
        p = softmax(scores_of(trees, x, 4) + np.float32([0.5, 0, 0, -0.5]))
        return np.int64([3, 5, 7, 9])[p.argmax(1)], np.float32(p)
    return classifier(trees, [3, 5, 7, 9], expected, 5, post="SOFTMAX", base_values=[0.5, 0, 0, -0.5])


@idiom
def split_regression():
    """LightGBM's trees in several nodes that a Sum joins."""
    trees = [grow(4, 5, s, lambda seed: [(0, np.cos(seed))]) for s in range(1, 13)]
    nodes = [learner("TreeEnsembleRegressor", ["x"], [f"part{k}"], n_targets=1, **attributes_of(trees[k:k + 4], "target"))
             for k in (0, 4, 8)]
    nodes.append(node("Sum", ["part0", "part4", "part8"], ["y"]))
    model = make_model(nodes, [tensor("x", np.float32, [None, 5])], [tensor("y", np.float32, [None, 1])], domains=DOMAINS)
    return model, [case([x], [scores_of(trees, x, 1)]) for x in (rows(n, 5) for n in SIZES)]


@idiom
def nearest_neighbours():
    """KNeighborsClassifier: distances, TopK, the neighbours' labels by ArrayFeatureExtractor, their mode."""
    known, labels = rows(11, 3), np.arange(11) % 3
    nodes = [const("axis", np.int64([1])), node("Unsqueeze", ["x", "axis"], ["each"]),
             node("Sub", ["each", "known"], ["apart"]), const("last", np.int64([2])),
             node("ReduceSumSquare", ["apart"], ["distance"], axes=[2], keepdims=0),
             const("k", np.int64([3])), node("TopK", ["distance", "k"], ["nearest", "places"], axis=1, largest=0),
             const("row", np.int64([1, -1])), node("Reshape", ["places", "row"], ["flat"]),
             learner("ArrayFeatureExtractor", ["labels", "flat"], ["found"]),
             const("threes", np.int64([-1, 3])), node("Reshape", ["found", "threes"], ["votes"]),
             node("OneHot", ["votes", "depth", "values"], ["hot"], axis=-1),
             node("ReduceSum", ["hot", "axis"], ["counts"], keepdims=0), node("ArgMax", ["counts"], ["y"], axis=1, keepdims=0)]
    model = make_model(nodes, [tensor("x", np.float32, [None, 3])], [tensor("y", np.int64, [None])],
                       {"known": known, "labels": labels, "depth": np.int64(3), "values": np.float32([0, 1])},
                       domains=DOMAINS)

    def nearest(x):
        order = np.argsort(((x[:, None] - known) ** 2).sum(2), 1, kind="stable")[:, :3]
        return np.int64([np.bincount(v, minlength=3).argmax() for v in labels[order]])
    return model, [case([x], [nearest(x)]) for x in (rows(n, 3) for n in (1, 4, 13))]


@idiom
def support_vectors():
    """SVC with an RBF kernel of two classes: the class with the votes, both signs of the score."""
    vectors, weights = rows(6, 3), ramp(6)
    nodes = [learner("SVMClassifier", ["x"], ["y", "p"], kernel_type="RBF", kernel_params=[0.5, 0.0, 3.0],
                     support_vectors=vectors.ravel().tolist(), vectors_per_class=[4, 2], coefficients=weights.tolist(),
                     rho=[0.125], classlabels_ints=[0, 1])]
    model = make_model(nodes, [tensor("x", np.float32, [None, 3])],
                       [tensor("y", np.int64, [None]), tensor("p", np.float32, [None, 2])], domains=DOMAINS)
    cases = []
    for x in (rows(n, 3) + 0.01 for n in (1, 6, 20)):
        s = np.exp(-0.5 * ((x[:, None] - vectors) ** 2).sum(2)) @ weights + 0.125
        cases.append(case([np.float32(x)], [np.int64(s <= 0), np.float32(np.stack([-s, s], 1))]))
    return model, cases


@idiom
def labels_of_floats():
    """A LabelEncoder with a key that is not a number. Versions 2 and 3 say: "For key look-up, bit-wise comparison is
    used so even a float NaN can be mapped to a value in 'values_*' attribute." So NaN is found, although libraries that
    compare numbers return the default."""
    nodes = [learner("LabelEncoder", ["x"], ["y"], keys_floats=[0.5, np.nan, 2.0], values_int64s=[3, 4, 5],
                     default_int64=-7)]
    model = make_model(nodes, [tensor("x", np.float32, [None])], [tensor("y", np.int64, [None])], domains={ML: 2})
    return model, [case([np.float32([np.nan, 2, 1, 0.5])], [np.int64([4, 5, -7, 3])])]


def labels_of_repeated_keys(kind):
    """Version 4 says: "Float keys with value 'NaN' match any input 'NaN' value regardless of bit value. If a key is
    repeated, the last key takes precedence." """
    if kind == "strings":
        keys, x = {"keys_strings": ["a", "b", "a"]}, np.array(["a", "b", "c"], object)
    else:
        keys, x = {"keys_floats": [np.nan, 1.5, np.nan]}, np.uint32([0xFFC00001, 0x3FC00000, 0]).view(np.float32)
    nodes = [learner("LabelEncoder", ["x"], ["y"], values_int64s=[3, 4, 5], default_int64=-7, **keys)]
    model = make_model(nodes, [tensor("x", object if kind == "strings" else np.float32, [None])],
                       [tensor("y", np.int64, [None])], domains={ML: 4})
    return model, [case([x], [np.int64([5, 4, -7])])]


idioms({"labels_of_repeated_strings": "strings", "labels_of_repeated_floats": "floats"}, labels_of_repeated_keys)


@idiom
def labels_in_and_out():
    """A LabelEncoder of strings, and back by another one."""
    nodes = [learner("LabelEncoder", ["x"], ["n"], keys_strings=["c", "a", "b"], values_int64s=[2, 0, 1], default_int64=7),
             learner("LabelEncoder", ["n"], ["y"], keys_int64s=[0, 1, 2], values_strings=["zero", "one", "two"],
                     default_string="many")]
    model = make_model(nodes, [tensor("x", object, [None])],
                       [tensor("n", np.int64, [None]), tensor("y", object, [None])], domains={ML: 2})
    words = {"a": 0, "b": 1, "c": 2}
    cases = []
    for text in ("c", "abcx", "zzab"):
        n = np.int64([words.get(t, 7) for t in text])
        cases.append(case([np.array(list(text), object)],
                          [n, np.array([["zero", "one", "two", "many"][min(k, 3)] for k in n], object)]))
    return model, cases
