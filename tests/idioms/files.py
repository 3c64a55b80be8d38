"""Contents of files besides operators: names of dimensions without a meaning, sparse constants."""
import numpy as np
from onnx import helper

from idiom import as_tensor, case, idiom, make_model, node, ramp, tensor

F, I = np.float32, np.int64


def rows_of_any_number(dims):
    weights = ramp(4, 3)
    model = make_model([node("MatMul", ["x", "w"], ["y"]), node("Relu", ["y"], ["z"])], [tensor("x", F, [*dims, 4])],
                       [tensor("z", F, [*dims, 3])], {"w": weights})
    return model, [case([x], [np.maximum(x @ weights, 0)]) for x in (ramp(2, 5, 4), ramp(3, 1, 4))]


@idiom
def dimensions_called_none():
    """Converters of scikit-learn and Core ML wrote None for each dimension that a run decides."""
    return rows_of_any_number(["None", "None"])


@idiom
def dimensions_of_minus_one():
    """Paddle's and MXNet's converters wrote a size of -1."""
    return rows_of_any_number([-1, -1])


@idiom
def dimensions_with_a_question_mark():
    return rows_of_any_number(["?", "?"])


@idiom
def sparse_weights():
    """An initializer and a Constant that list what is not zero: by position, and by row and column."""
    first, second = np.zeros((4, 3), F), np.zeros((3, 2), F)
    first.flat[[0, 4, 11]], second[[0, 2], [1, 0]] = [3, 5, 7], [2, -1]
    by_place = helper.make_sparse_tensor(as_tensor(F([2, -1]), "v"), as_tensor(I([[0, 1], [2, 0]]), "i"), [3, 2])
    model = make_model([node("Constant", [], ["b"], sparse_value=by_place), node("MatMul", ["x", "a"], ["h"]),
                        node("MatMul", ["h", "b"], ["y"])], [tensor("x", F, ["n", 4])], [tensor("y", F, ["n", 2])])
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(as_tensor(F([3, 5, 7]), "a"), as_tensor(I([0, 4, 11]), "at"), [4, 3]))
    return model, [case([x], [x @ first @ second]) for x in (ramp(2, 4), ramp(1, 4))]
