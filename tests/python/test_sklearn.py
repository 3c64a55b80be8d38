"""Pipelines of scikit-learn as skl2onnx writes them, with the results of scikit-learn itself."""
import numpy as np
import pytest

import cppgen
import cppgen.onnxruntime

pytest.importorskip("sklearn")
skl2onnx = pytest.importorskip("skl2onnx")

from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType  # noqa: E402
from sklearn import cluster, compose, decomposition, ensemble, feature_selection, impute, linear_model, naive_bayes  # noqa: E402
from sklearn import neighbors, neural_network, pipeline, preprocessing, svm, tree  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402

OPSET = 15
random = np.random.RandomState(0)
X = random.randn(240, 6).astype(np.float32)
CLASSES = np.array(["bird", "cat", "dog"])[np.digitize(X[:, 0] + 0.5 * X[:, 1] * X[:, 2], [-0.5, 0.5])]
SIGNS = (X[:, 0] - X[:, 3] > 0).astype(np.int64)
TARGETS = X @ np.arange(6, dtype=np.float32) + np.sin(3 * X[:, 0])
UNSEEN = random.randn(50, 6).astype(np.float32)
steps = pipeline.make_pipeline

CLASSIFIERS = {
    "scaler, logistic": (steps(preprocessing.StandardScaler(), linear_model.LogisticRegression()), CLASSES),
    "two classes": (steps(preprocessing.MinMaxScaler(), linear_model.LogisticRegression()), SIGNS),
    "polynomial": (steps(preprocessing.PolynomialFeatures(2), linear_model.LogisticRegression(max_iter=1000)), CLASSES),
    "SGD": (steps(preprocessing.RobustScaler(), linear_model.SGDClassifier(loss="log_loss", random_state=0)), CLASSES),
    "tree": (tree.DecisionTreeClassifier(max_depth=6, random_state=0), CLASSES),
    "forest": (ensemble.RandomForestClassifier(20, max_depth=7, random_state=0), CLASSES),
    "extra trees": (ensemble.ExtraTreesClassifier(15, random_state=0), SIGNS),
    "gradient boosting": (ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0), CLASSES),
    "histograms": (ensemble.HistGradientBoostingClassifier(max_iter=15, random_state=0), CLASSES),
    "bagging": (ensemble.BaggingClassifier(tree.DecisionTreeClassifier(max_depth=4), 8, random_state=0), CLASSES),
    "voting": (ensemble.VotingClassifier([("a", linear_model.LogisticRegression()), ("b", naive_bayes.GaussianNB()),
                                          ("c", tree.DecisionTreeClassifier(max_depth=5))], voting="soft", flatten_transform=False), CLASSES),
    "Bayes": (naive_bayes.GaussianNB(), CLASSES),
    "vectors": (steps(preprocessing.StandardScaler(), svm.SVC(probability=True, random_state=0)), CLASSES),
    "neighbours": (neighbors.KNeighborsClassifier(5), CLASSES),
    "perceptron": (steps(preprocessing.StandardScaler(), neural_network.MLPClassifier(hidden_layer_sizes=(12, 8), max_iter=200, random_state=0)), CLASSES),
    "components": (steps(decomposition.PCA(4), preprocessing.Normalizer(), linear_model.LogisticRegression()), CLASSES),
    "selection": (steps(feature_selection.SelectKBest(k=3), linear_model.LogisticRegression()), CLASSES),
    "calibrated": (CalibratedClassifierCV(svm.LinearSVC(dual=False), cv=3), CLASSES),
    "one against the rest": (OneVsRestClassifier(linear_model.LogisticRegression()), CLASSES),
    "bins": (steps(preprocessing.KBinsDiscretizer(4, encode="onehot-dense"), linear_model.LogisticRegression()), CLASSES),
}  # yapf: disable

REGRESSORS = {
    "linear": linear_model.LinearRegression(),
    "ridge": steps(preprocessing.StandardScaler(), linear_model.Ridge()),
    "lasso of powers": steps(preprocessing.PolynomialFeatures(2), linear_model.Lasso(0.01, max_iter=5000)),
    "elastic net": steps(preprocessing.MaxAbsScaler(), linear_model.ElasticNet(0.01)),
    "tree": tree.DecisionTreeRegressor(max_depth=6, random_state=0),
    "forest": ensemble.RandomForestRegressor(20, max_depth=7, random_state=0),
    "gradient boosting": ensemble.GradientBoostingRegressor(n_estimators=25, random_state=0),
    "histograms": ensemble.HistGradientBoostingRegressor(max_iter=15, random_state=0),
    "AdaBoost": ensemble.AdaBoostRegressor(n_estimators=6, random_state=0),
    "neighbours": neighbors.KNeighborsRegressor(4),
    "vectors": steps(preprocessing.StandardScaler(), svm.SVR()),
    "perceptron": neural_network.MLPRegressor(hidden_layer_sizes=(10,), max_iter=300, random_state=0),
}  # yapf: disable


def session(model, types, zipmap=False):
    options = {id(model): {"zipmap": zipmap}} if hasattr(model, "predict_proba") else None
    made = skl2onnx.convert_sklearn(model, initial_types=types, options=options, target_opset={"": OPSET, "ai.onnx.ml": 3})
    return cppgen.onnxruntime.InferenceSession(made.SerializeToString())


def floats(count=6):
    return [("x", FloatTensorType([None, count]))]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name):
    model, labels = CLASSIFIERS[name]
    model.fit(X, labels)
    found, probabilities = session(model, floats()).run(None, {"x": UNSEEN})
    assert found.tolist() == model.predict(UNSEEN).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(UNSEEN), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name):
    model = REGRESSORS[name].fit(X, TARGETS)
    found, = session(model, floats()).run(None, {"x": UNSEEN})
    np.testing.assert_allclose(found.ravel(), model.predict(UNSEEN).ravel(), rtol=1e-3, atol=1e-3)


def test_maps_of_probabilities():
    model = steps(preprocessing.StandardScaler(), linear_model.LogisticRegression()).fit(X, CLASSES)
    _, maps = session(model, floats(), zipmap=True).run(None, {"x": UNSEEN[:3]})
    for found, expected in zip(maps, model.predict_proba(UNSEEN[:3])):
        assert list(found) == ["bird", "cat", "dog"]
        np.testing.assert_allclose(list(found.values()), expected, rtol=1e-4, atol=1e-6)


class Columns:
    """A table with columns of floats, integers and strings, as records of customers have them."""

    def __init__(self, rows, seed):
        import pandas

        chosen = np.random.RandomState(seed)
        self.frame = pandas.DataFrame({
            "age": chosen.randint(18, 80, rows).astype(np.float32), "income": chosen.gamma(2, 2e4, rows).astype(np.float32),
            "city": chosen.choice(["Bonn", "Köln", "Ulm"], rows), "plan": chosen.choice(["free", "paid"], rows),
            "visits": chosen.randint(0, 9, rows).astype(np.int64)})
        self.frame.loc[::7, "income"] = np.nan
        self.buys = (self.frame["age"] / 80 + (self.frame["plan"] == "paid") + 0.1 * self.frame["visits"] > 1.2).astype(int)

    def inputs(self):
        return {name: column.to_numpy().reshape(-1, 1) for name, column in self.frame.items()}


@pytest.mark.parametrize("last", [linear_model.LogisticRegression(max_iter=500), ensemble.RandomForestClassifier(11, random_state=0),
                                  ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0)], ids=lambda it: type(it).__name__)
def test_tables(last):
    known, unseen = Columns(200, 1), Columns(40, 2)
    unseen.frame["age"] += 0.25  # which thresholds are not: they are in the middle between two ages of those that are known
    unseen.frame.loc[3, "city"] = "Mainz"  # which the encoder has not seen
    numbers = steps(impute.SimpleImputer(strategy="median"), preprocessing.StandardScaler())
    columns = compose.ColumnTransformer([("numbers", numbers, ["age", "income"]), ("visits", "passthrough", ["visits"]),
                                         ("words", preprocessing.OneHotEncoder(handle_unknown="ignore"), ["city", "plan"])])
    model = steps(columns, last).fit(known.frame, known.buys)
    kinds = {"f": FloatTensorType, "i": Int64TensorType, "O": StringTensorType}
    types = [(name, kinds[known.inputs()[name].dtype.kind]([None, 1])) for name in known.frame]
    found, probabilities = session(model, types).run(None, unseen.inputs())
    assert found.tolist() == model.predict(unseen.frame).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(unseen.frame), rtol=1e-3, atol=1e-5)


# Words have at least two letters: with shorter ones, skl2onnx makes other pairs than scikit-learn.
TEXTS = ["the cat sat on the mat", "one dog ran in the park", "the bird sang", "cats and dogs", "the dog sat",
         "birds fly over the park", "one cat ran", "the mat is red", "red birds sang in the park", "one dog and one cat"]
SUBJECTS = ["cat", "dog", "bird", "cat", "dog", "bird", "cat", "cat", "bird", "dog"]


@pytest.mark.parametrize("words", [CountVectorizer(), CountVectorizer(ngram_range=(1, 2), binary=True), CountVectorizer(stop_words=["the", "one"]),
                                   TfidfVectorizer(), TfidfVectorizer(ngram_range=(1, 3), sublinear_tf=True, norm="l1"),
                                   TfidfVectorizer(lowercase=False, min_df=2)],
                         ids=["counts", "pairs", "stop words", "tf-idf", "triples", "case"])
@pytest.mark.parametrize("last", [naive_bayes.MultinomialNB(), linear_model.LogisticRegression(),
                                  tree.DecisionTreeClassifier(random_state=0)], ids=lambda it: type(it).__name__)
def test_texts(words, last):
    model = steps(words, last).fit(TEXTS, SUBJECTS)
    unseen = TEXTS + ["", "the unknown cat", "Red birds, red dogs", "park park park"]
    found, probabilities = session(model, [("text", StringTensorType([None]))]).run(None, {"text": np.array(unseen)})
    assert found.tolist() == model.predict(unseen).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(unseen), rtol=1e-3, atol=1e-5)


def test_what_transforms():
    for model, count in ((cluster.KMeans(4, n_init=3, random_state=0), 2), (preprocessing.Binarizer(threshold=0.2), 1),
                         (decomposition.TruncatedSVD(3, random_state=0), 1), (preprocessing.PowerTransformer(), 1)):
        model.fit(X)
        results = session(model, floats()).run(None, {"x": UNSEEN})
        assert len(results) == count
        if count == 2:
            assert results[0].tolist() == model.predict(UNSEEN).tolist()
        np.testing.assert_allclose(results[-1], model.transform(UNSEEN), rtol=1e-3, atol=1e-3, err_msg=str(model))


def test_encoders_of_words():
    words = np.array([["a", "x"], ["b", "y"], ["c", "x"], ["a", "z"]], object)
    types = [("w", StringTensorType([None, 2]))]
    for model in (preprocessing.OneHotEncoder(sparse_output=False) if hasattr(preprocessing.OneHotEncoder(), "sparse_output")
                  else preprocessing.OneHotEncoder(sparse=False), preprocessing.OrdinalEncoder()):
        found, = session(model.fit(words), types).run(None, {"w": words})
        assert found.tolist() == model.transform(words).tolist()
