"""Sizes computed in floating point, as torch's exporter writes int(n / 4), n * 0.5 and scale factors."""
import numpy as np

from idiom import case, idiom, idioms, ramp, tensor
from tracing import Trace

IMAGES = [(4, 4), (5, 9), (8, 3), (31, 18), (1, 2)]


def scaled(t, size, op, factor, rounding, unsqueeze_first):
    """Cast(Floor(Cast(size) / factor)) as a list of one."""
    number = t.op("Cast", size, to=1)
    if unsqueeze_first:
        number = t.op("Unsqueeze", number, np.int64([0]))
    number = t.op(op, number, np.float32(factor))
    if rounding:
        number = t.op(rounding, number)
    number = t.op("Cast", number, to=7)
    return number if unsqueeze_first else t.op("Unsqueeze", number, np.int64([0]))


def resized(options):
    op, factor, rounding, unsqueeze_first = options
    t = Trace()
    sizes = [scaled(t, t.size("x", d), op, factor, rounding, unsqueeze_first) for d in (2, 3)]
    first = t.op("Slice", t.op("Shape", "x"), np.int64([0]), np.int64([2]), np.int64([0]))
    t.op("Resize", "x", None, None, t.op("Concat", first, *sizes, axis=0), out="y", mode="nearest",
         coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, None)], opset=13)
    cases = []
    for h, w in IMAGES:
        values = [s * factor if op == "Mul" else s / factor for s in (h, w)]
        a, b = (int(np.ceil(v)) if rounding == "Ceil" else int(np.floor(v)) for v in values)
        if min(a, b) < 1:
            continue
        x = ramp(1, 2, h, w)
        rows, columns = np.arange(a) * h // a, np.arange(b) * w // b
        cases.append(case([x], [x[:, :, rows][:, :, :, columns]]))
    return model, cases


idioms({"floor_of_quotient": ("Div", 4.0, "Floor", False), "ceil_of_quotient": ("Div", 3.0, "Ceil", False),
        "cast_of_quotient": ("Div", 2.0, None, False), "floor_of_product": ("Mul", 2.0, "Floor", True),
        "floor_of_half": ("Mul", 0.5, "Floor", False), "ceil_of_three_halves": ("Mul", 1.5, "Ceil", True)}, resized)


@idiom
def sizes_joined_as_floats():
    """Upsample by scales in older exporters: sizes are multiplied as floats, joined, rounded and cast together."""
    t = Trace()
    parts = [t.op("Unsqueeze", t.op("Mul", t.op("Cast", t.size("x", d), to=1), np.float32(2)), np.int64([0]))
             for d in (2, 3)]
    both = t.op("Cast", t.op("Floor", t.op("Concat", *parts, axis=0)), to=7)
    first = t.op("Slice", t.op("Shape", "x"), np.int64([0]), np.int64([2]), np.int64([0]))
    y = t.op("Resize", "x", None, None, t.op("Concat", first, both, axis=0), mode="nearest",
             coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    t.op("Add", y, t.op("Resize", "x", None, np.float32([1, 1, 2, 2]), mode="nearest",
                        coordinate_transformation_mode="asymmetric", nearest_mode="floor"), out="y")
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, None)], opset=13)
    return model, [case([x], [2 * x.repeat(2, 2).repeat(2, 3)]) for x in (ramp(1, 2, *s) for s in IMAGES)]
