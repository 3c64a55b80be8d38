"""Further pipelines of scikit-learn: words, names of classes, distances."""
import re

import numpy as np

from idiom import case, idiom, idioms, make_model, node, ramp, tensor

ML, MICROSOFT = "ai.onnx.ml", "com.microsoft"
DOMAINS = {ML: 3, MICROSOFT: 1}


@idiom
def naive_bayes_of_named_classes():
    """MultinomialNB: the names of the classes by ArrayFeatureExtractor of a constant of strings."""
    chances, prior, names = -np.abs(ramp(4, 3)), -np.abs(ramp(3, scale=0.9)), np.array(["x", "y", "long name"], object)
    nodes = [node("MatMul", ["X", "chances"], ["m"]), node("Add", ["m", "prior"], ["joint"]),
             node("ArgMax", ["joint"], ["best"], axis=1),
             node("ArrayFeatureExtractor", ["classes", "best"], ["found"], domain=ML),
             node("Reshape", ["found", "row"], ["label"]),
             node("ReduceLogSumExp", ["joint"], ["all"], axes=[1], keepdims=0),
             node("Reshape", ["all", "column"], ["norm"]), node("Sub", ["joint", "norm"], ["logs"]),
             node("Exp", ["logs"], ["p"])]
    model = make_model(nodes, [tensor("X", np.float32, [None, 4])],
                       [tensor("label", object, [None]), tensor("p", np.float32, [None, 3])],
                       {"chances": chances, "prior": prior, "classes": names, "row": np.int64([-1]),
                        "column": np.int64([-1, 1])},
                       opset=15, domains=DOMAINS)
    cases = []
    for n in (1, 6):
        x = np.abs(ramp(n, 4, scale=0.7))
        joint = x @ chances + prior
        p = np.exp(joint) / np.exp(joint).sum(1, keepdims=True)
        cases.append(case([x], [names[joint.argmax(1)], p.astype(np.float32)]))
    return model, cases


@idiom
def columns_of_names():
    """ColumnTransformer: columns of a table of strings, each encoded by itself."""
    categories = (["female", "male"], ["1", "2", "3"])
    nodes, parts = [node("Concat", ["sex", "class"], ["table"], axis=1)], []
    constants = {}
    for k, own in enumerate(categories):
        constants[f"at{k}"], constants[f"shape{k}"] = np.int64([k]), np.int64([-1, len(own)])
        nodes += [node("ArrayFeatureExtractor", ["table", f"at{k}"], [f"column{k}"], domain=ML),
                  node("OneHotEncoder", [f"column{k}"], [f"hot{k}"], domain=ML, cats_strings=own, zeros=1),
                  node("Reshape", [f"hot{k}", f"shape{k}"], [f"part{k}"])]
        parts.append(f"part{k}")
    nodes.append(node("Concat", parts, ["y"], axis=1))
    model = make_model(nodes, [tensor("sex", object, [None, 1]), tensor("class", object, [None, 1])],
                       [tensor("y", np.float32, [None, 5])], constants, opset=15, domains=DOMAINS)
    cases = []
    for n in (1, 7):
        columns = [np.array([[(own + ["other"])[i % (len(own) + 1)]] for i in range(n)], object) for own in categories]
        hot = [np.float32([[c == k for k in own] for c in column[:, 0]]) for own, column in zip(categories, columns)]
        cases.append(case(columns, [np.concatenate(hot, 1)]))
    return model, cases


def distances(options):
    """KNeighborsRegressor with the distances of ONNX Runtime's own operator."""
    metric, dtype = options
    known, values = ramp(11, 4, dtype=dtype), ramp(1, 11, scale=0.8)
    nodes = [node("CDist", ["X", "known"], ["d"], domain=MICROSOFT, metric=metric),
             node("TopK", ["d", "k"], ["near", "places"], axis=1, largest=0, sorted=1),
             node("Shape", ["places"], ["shape"]), node("Reshape", ["places", "row"], ["flat"]),
             node("ArrayFeatureExtractor", ["values", "flat"], ["found"], domain=ML),
             node("Reshape", ["found", "shape"], ["own"]), node("ReduceMean", ["own"], ["y"], axes=[1])]
    model = make_model(nodes, [tensor("X", dtype, [None, 4])],
                       [tensor("d", dtype, [None, 11]), tensor("y", np.float32, [None, 1])],
                       {"known": known, "values": values, "k": np.int64([3]),
                        "row": np.int64([1, -1])}, opset=15, domains=DOMAINS)
    cases = []
    for n in (1, 9):
        x = ramp(n, 4, scale=0.77, dtype=dtype)
        d = ((x[:, None] - known) ** 2).sum(2)
        d = np.sqrt(d) if metric == "euclidean" else d
        near = np.argsort(d, 1, kind="stable")[:, :3]
        cases.append(case([x], [d, values[0][near].mean(1, keepdims=True)]))
    return model, cases


idioms({"euclidean_distances": ("euclidean", np.float32), "squared_distances": ("sqeuclidean", np.float64)}, distances)


@idiom
def words_to_frequencies():
    """TfidfVectorizer: words by a regular expression, their weighted frequencies, rows of length 1."""
    words, weights = ["big", "hello", "world"], np.float32([1.5, 1.25, 2])
    nodes = [node("Squeeze", ["text", "one"], ["flat"]),
             node("Tokenizer", ["flat"], ["words"], domain=MICROSOFT, mark=0, mincharnum=2, pad_value="#",
                  tokenexp="[a-zA-Z0-9_]+"),
             node("TfIdfVectorizer", ["words"], ["counts"], max_gram_length=1, min_gram_length=1, max_skip_count=0,
                  mode="TFIDF",
                  ngram_counts=[0], ngram_indexes=[0, 1, 2], pool_strings=words, weights=weights.tolist()),
             node("Normalizer", ["counts"], ["y"], domain=ML, norm="L2")]
    model = make_model(nodes, [tensor("text", object, [None, 1])], [tensor("y", np.float32, [None, 3])],
                       {"one": np.int64([1])},
                       opset=15, domains=DOMAINS)
    cases = []
    for lines in (["hello, big world!"], ["big a big", "", "worldly hello (world)"]):
        counts = np.float32([[re.findall("[a-zA-Z0-9_]{2,}", t).count(w) for w in words] for t in lines]) * weights
        length = np.sqrt((counts ** 2).sum(1, keepdims=True))
        cases.append(case([np.array([[t] for t in lines], object)], [counts / np.where(length == 0, 1, length)]))
    return model, cases


@idiom
def weights_of_n_grams():
    """TfIdfVectorizer whose columns are in another order than its n-grams. The specification says of `weights`: "The
    i-th element in weights is the weight of the i-th n-gram in pool", and of `ngram_indexes` that its i-th element is
    the coordinate of the i-th n-gram in the output. So weights follow the n-grams, not the columns."""
    nodes = [node("TfIdfVectorizer", ["x"], ["y"], max_gram_length=1, min_gram_length=1, max_skip_count=0, mode="TFIDF",
                  ngram_counts=[0], ngram_indexes=[2, 0, 1], pool_int64s=[10, 20, 30], weights=[2.0, 3.0, 5.0])]
    model = make_model(nodes, [tensor("x", np.int64, [None])], [tensor("y", np.float32, [3])])
    return model, [case([np.int64(x)], [np.float32([3 * x.count(20), 5 * x.count(30), 2 * x.count(10)])])
                   for x in ([10], [20, 30, 20], [30, 10, 10, 7])]


def tokens(options):
    attributes, expected = options
    nodes = [node("Tokenizer", ["x"], ["y"], domain=MICROSOFT, pad_value="#", **attributes)]
    model = make_model(nodes, [tensor("x", object, [None])], [tensor("y", object, [None, None])], opset=15,
                       domains=DOMAINS)
    return model, [case([np.array(list(lines), object)], [np.array(table, object)]) for lines, table in expected.items()]


SEPARATED = {("ab, c; d", ";"): [["\x02", "ab", "c", " d", "\x03"], ["\x02", "\x03", "#", "#", "#"]],
             ("", ","): np.zeros((2, 0))}
idioms({"characters": ({"mark": 0, "mincharnum": 1, "separators": [""]},
                       {("añb", "x"): [["a", "ñ", "b"], ["x", "#", "#"]]}),
        "separated_words": ({"mark": 1, "mincharnum": 1, "separators": [";", ", *"]}, SEPARATED),
        "matching_words": ({"mark": 0, "mincharnum": 2, "tokenexp": r"ab|abc|\d*"},
                           {("abc12 3 ab", "4567"): [["abc", "12", "ab"], ["4567", "#", "#"]]})}, tokens)
