"""Sizes computed in floating point, as torch's exporter writes int(n / 4), n * 0.5 and scale factors."""
import numpy as np

from idiom import case, idiom, idioms, ramp, tensor
from tracing import LARGEST, Trace

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


@idiom
def aspect_ratio_of_sizes():
    """Sizes that are inputs of a run and that a policy changes, with a declared result: 3/4 of 2 rows are 2 rows."""
    t = Trace()
    t.op("Resize", "x", None, None, "sizes", out="y", axes=[2, 3], mode="linear", keep_aspect_ratio_policy="not_smaller")
    model = t.model([tensor("x", np.float32, [1, 2, 2, 4]), tensor("sizes", np.int64, [2])],
                    [tensor("y", np.float32, [1, 2, 2, 3])], opset=19)

    def along(x, axis, count):
        at = (np.arange(count) + 0.5) / 0.75 - 0.5
        low = np.floor(at).astype(int)
        last, part = x.shape[axis] - 1, (at - low).reshape([-1 if d == axis else 1 for d in range(4)])
        return x.take(low.clip(0, last), axis) * (1 - part) + x.take((low + 1).clip(0, last), axis) * part

    x = ramp(1, 2, 2, 4)
    y = along(along(x, 2, 2), 3, 3).astype(np.float32)
    return model, [case([x, np.int64(sizes)], [y]) for sizes in ([1, 3], [0, 3])]


def repeated(options):
    """A size that is computed from itself again and again: written out, its expression would be very long."""
    step, count = options
    t = Trace()
    shape = t.op("Shape", "x")
    size = shape
    for k in range(count):
        size = step(t.op, size, shape, k)
    size = t.op("Add", t.op("Mod", size, np.int64([50])), np.int64([1]))
    t.op("ReduceSum", t.op("ConstantOfShape", size, value=np.float32([1])), out="y", keepdims=0)
    model = t.model([tensor("x", np.float32, ["n"])], [tensor("y", np.float32, [])])
    numbers = {"Add": np.add, "Mod": np.mod, "Mul": np.multiply, "Div": np.floor_divide, "Max": np.maximum,
               "Min": np.minimum}
    cases = []
    for n in (1, 2, 7, 30):
        value = np.int64([n])
        for k in range(count):
            value = step(lambda op, a, b: numbers[op](a, b), value, np.int64([n]), k)
        cases.append(case([ramp(n)], [np.float32(value[0] % 50 + 1)]))
    return model, cases


idioms({
    "remainders": (lambda op, a, n, k: op("Mod", op("Add", a, np.int64([1])), n), 40),
    "doubled": (lambda op, a, n, k: op("Mod", op("Add", op("Mul", a, np.int64([k + 3])),
                                                 op("Div", a, np.int64([k + 2]))), np.int64([1000])), 25),
    "bounded": (lambda op, a, n, k: op("Max" if k % 2 else "Min", op("Add", a, np.int64([k])),
                                       op("Mul", n, np.int64([k + 2]))), 60),
}, repeated)


@idiom
def heights_of_many_slices():
    """Every second row joined with every third, again and again."""
    t = Trace()
    x = "x"
    for _ in range(6):
        x = t.op("Concat", t.slice(x, 0, 0, LARGEST, 2), t.slice(x, 0, 1, LARGEST, 3), axis=0)
    t.op("Identity", x, out="y")
    model = t.model([tensor("x", np.float32, ["h", 3])], [tensor("y", np.float32, None)], opset=13)
    cases = []
    for h in (1, 2, 9, 40):
        x = y = ramp(h, 3)
        for _ in range(6):
            y = np.concatenate([y[::2], y[1::3]])
        cases.append(case([x], [y]))
    return model, cases
