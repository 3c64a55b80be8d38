"""Elements that are selected, padded to a fixed number and selected again, as detectors and tokenisers end."""
import numpy as np

from idiom import case, idiom, make_model, node, ramp, tensor

F, I = np.float32, np.int64


@idiom
def detections_filled_up():
    """Boxes that are kept, filled up with zeros; then the best of them. Without any box, all are zeros."""
    nodes = [node("GatherND", ["boxes", "kept"], ["some"]), node("Pad", ["some", "pads"], ["filled"]),
             node("Gather", ["filled", "best"], ["y"], axis=0)]
    model = make_model(nodes, [tensor("boxes", F, ["b", "k", 4]), tensor("kept", I, ["d", 2]),
                               tensor("best", I, ["n", 5])], [tensor("y", F, ["n", 5, 4])],
                       {"pads": I([0, 0, 5, 0])})

    def one(boxes, kept, best):
        filled = np.concatenate([boxes[tuple(I(kept).reshape(-1, 2).T)], np.zeros((5, 4), F)])
        return case([boxes, I(kept).reshape(-1, 2), I(best)], [filled[I(best)]])
    return model, [one(ramp(2, 3, 4), [[1, 2], [0, 1], [1, 0]], [[2, 0, 4, 7, 1], [3, 3, 1, 0, -1]]),
                   one(ramp(1, 0, 4), [], [[0, 1, 2, 3, 4]])]


def tokens_filled_up(width):
    """Numbers that are kept, filled up with one that is no position among them."""
    nodes = [node("Gather", ["ids", "kept"], ["some"], axis=0), node("Pad", ["some", "pads", "nine"], ["y"])]
    model = make_model(nodes, [tensor("ids", I, [width]), tensor("kept", I, ["d"])], [tensor("y", I, ["e"])],
                       {"pads": I([1, 2]), "nine": I(9)})
    ids = I([7, 5, 8])
    return model, [case([ids, I(kept)], [np.concatenate([[9], ids[I(kept)], [9, 9]])]) for kept in ([2, 0], [], [1])]


@idiom
def tokens_of_three_filled_up():
    return tokens_filled_up(3)


@idiom
def tokens_of_any_number_filled_up():
    return tokens_filled_up("k")


@idiom
def positions_counted_from_another():
    """Positions that are computed are in range only where the padding does not hide them."""
    nodes = [node("Add", ["kept", "five"], ["at"]), node("Gather", ["x", "at"], ["some"], axis=0),
             node("Pad", ["some", "pads"], ["y"])]
    model = make_model(nodes, [tensor("x", F, [3]), tensor("kept", I, ["d"])], [tensor("y", F, ["e"])],
                       {"pads": I([0, 2]), "five": I(5)})
    x = ramp(3)
    return model, [case([x, I(kept)], [np.concatenate([x[I(kept) + 5], F([0, 0])])]) for kept in ([-3, -5], [-4])]


@idiom
def padded_activation_read_twice():
    """What is padded is also a result, so it is computed where it is read."""
    nodes = [node("Relu", ["x"], ["r"]), node("Pad", ["r", "pads"], ["p"]), node("Gather", ["p", "at"], ["y"], axis=0)]
    model = make_model(nodes, [tensor("x", F, ["k"]), tensor("at", I, ["n", 2])],
                       [tensor("r", F, ["k"]), tensor("y", F, ["n", 2])], {"pads": I([2, 3])})
    x, at = ramp(3) - F(0.3), I([[0, 2], [4, 7], [-1, 3]])
    r = np.maximum(x, 0)
    return model, [case([x, at], [r, np.pad(r, (2, 3))[at]])]
