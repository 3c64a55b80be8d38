"""Networks over images of any height and width: pools that round up, pyramids, windows with padding."""
import numpy as np

from idiom import case, idiom, idioms, ramp, tensor
from tracing import LARGEST, Trace

IMAGES = [(1, 1), (2, 3), (3, 4), (5, 8), (7, 7), (8, 13), (14, 9), (20, 21), (40, 37)]


def windows_along(size, kernel, stride, before, after, dilation):
    """The number of windows if the last may extend beyond the end; none begins in the padding at the end."""
    reach = dilation * (kernel - 1) + 1
    count = -((size + before + after - reach) // -stride) + 1
    return count - 1 if (count - 1) * stride >= size + before else count


def pooled(x, kernel, stride, pads, dilation, average=None):
    """Maxima, or averages over positions inside the image ("valid") or inside image and padding ("all")."""
    sizes = [windows_along(s, kernel, stride, pads[d], pads[d + 2], dilation) for d, s in enumerate(x.shape[2:])]
    y = np.empty(x.shape[:2] + tuple(sizes), np.float32)
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            spots = [[p for p in range(o * stride - pads[d], o * stride - pads[d] + dilation * kernel, dilation)]
                     for d, o in enumerate((i, j))]
            inside = [[p for p in s if 0 <= p < x.shape[d + 2]] for d, s in enumerate(spots)]
            padded = [[p for p in s if p < x.shape[d + 2] + pads[d + 2]] for d, s in enumerate(spots)]
            taken = x[:, :, inside[0]][:, :, :, inside[1]]
            count = len(padded[0]) * len(padded[1]) if average == "all" else len(inside[0]) * len(inside[1])
            y[:, :, i, j] = taken.sum((2, 3)) / count if average else taken.max((2, 3))
    return y


def pool_of_any_size(options):
    op, kernel, stride, pads, dilation = options
    t = Trace()
    attributes = dict(kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads, ceil_mode=1)
    if dilation > 1:
        attributes["dilations"] = [dilation] * 2
    if op == "all":
        attributes["count_include_pad"] = 1
    t.op("AveragePool" if op else "MaxPool", "x", out="y", **attributes)
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, None)], opset=19)
    least = dilation * (kernel - 1) + 1 - min(pads[0] + pads[2], pads[1] + pads[3])
    images = [s for s in IMAGES if min(s) >= least]
    return model, [case([x], [pooled(x, kernel, stride, pads, dilation, op)]) for x in (ramp(1, 2, *s) for s in images)]


idioms({
    "max_pool_3_2": (None, 3, 2, [0, 0, 0, 0], 1), "max_pool_3_2_padded": (None, 3, 2, [1, 1, 1, 1], 1),
    "max_pool_2_2": (None, 2, 2, [0, 0, 0, 0], 1), "max_pool_3_1": (None, 3, 1, [1, 1, 1, 1], 1),
    "max_pool_2_3": (None, 2, 3, [0, 1, 1, 0], 1), "max_pool_5_3_dilated": (None, 5, 3, [2, 1, 0, 2], 2),
    "max_pool_3_2_dilated": (None, 3, 2, [1, 1, 1, 1], 2), "average_pool_3_2": ("valid", 3, 2, [0, 0, 0, 0], 1),
    "average_pool_3_2_padded": ("valid", 3, 2, [1, 1, 1, 1], 1), "average_pool_all": ("all", 3, 2, [1, 1, 1, 1], 1),
}, pool_of_any_size)


def conv1(t, x, name, out_channels, in_channels):
    return t.op("Conv", x, t.weight(name, ramp(out_channels, in_channels, 1, 1)), kernel_shape=[1, 1])


def mixed(x, out_channels):
    return np.einsum("oi,nihw->nohw", ramp(out_channels, x.shape[1], 1, 1)[:, :, 0, 0], x).astype(np.float32)


@idiom
def inception_pools():
    """A pool of stride 2 in ceil mode, then branches of which one is a pool of stride 1; both sizes are equal."""
    t = Trace()
    a = t.op("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    b = t.op("MaxPool", a, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, ceil_mode=1)
    c = t.op("Concat", conv1(t, a, "w", 3, 2), b, axis=1)
    d = t.op("MaxPool", c, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    t.op("Concat", d, t.op("MaxPool", d, kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, ceil_mode=1), axis=1,
         out="y")
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, None)], opset=13)
    cases = []
    for h, w in IMAGES:
        if min(h, w) < 5:
            continue
        x = ramp(1, 2, h, w)
        a = pooled(x, 3, 2, [0] * 4, 1)
        d = pooled(np.concatenate([mixed(a, 3), pooled(a, 3, 1, [1] * 4, 1)], 1), 3, 2, [0] * 4, 1)
        cases.append(case([x], [np.concatenate([d, pooled(d, 3, 1, [1] * 4, 1)], 1)]))
    return model, cases


def nearest_to(x, h, w):
    rows, columns = np.arange(h) * x.shape[2] // h, np.arange(w) * x.shape[3] // w
    return x[:, :, rows][:, :, :, columns]


def resize_to(t, x, like, channels):
    """F.interpolate(x, size=like.shape[-2:]): Shape, Slice of the first two, Concat with the sizes."""
    size = t.vector([t.size(like, 2), t.size(like, 3)])
    first = t.op("Slice", t.op("Shape", x), np.int64([0]), np.int64([2]), np.int64([0]))
    sizes = t.op("Concat", first, t.op("Cast", size, to=7), axis=0)
    return t.op("Resize", x, None, None, sizes, coordinate_transformation_mode="asymmetric", mode="nearest",
                nearest_mode="floor")


@idiom
def feature_pyramid():
    """Maps of three resolutions; each is enlarged to the size of the next and added."""
    t = Trace()
    levels = [conv1(t, "x", "c0", 4, 2)]
    for k in (1, 2):
        weight = t.weight(f"c{k}", ramp(4, 4, 3, 3, scale=0.1 + k))
        levels.append(t.op("Conv", levels[-1], weight, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4))
    top = levels[2]
    for level in (levels[1], levels[0]):
        top = t.op("Add", conv1(t, level, f"lateral{t.count}", 4, 4), resize_to(t, top, level, 4))
    t.op("Identity", top, out="y")
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, ["n", 4, "h", "w"])], opset=13)

    def conv3(x, weight):
        h, w = (x.shape[2] + 1) // 2, (x.shape[3] + 1) // 2
        p = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        y = np.zeros((len(x), 4, h, w))
        for i in range(3):
            for j in range(3):
                y += np.einsum("oi,nihw->nohw", weight[:, :, i, j], p[:, :, i:i + 2 * h - 1:2, j:j + 2 * w - 1:2])
        return y.astype(np.float32)
    cases = []
    for h, w in IMAGES:
        x = ramp(1, 2, h, w)
        a = mixed(x, 4)
        b = conv3(a, ramp(4, 4, 3, 3, scale=1.1))
        c = conv3(b, ramp(4, 4, 3, 3, scale=2.1))
        top = mixed(b, 4) + nearest_to(c, *b.shape[2:])
        cases.append(case([x], [mixed(a, 4) + nearest_to(top, h, w)]))
    return model, cases


@idiom
def unet_that_pads_to_the_skip():
    """Pool, enlarge by scales, F.pad by the difference to the skipped map (odd sizes), Concat."""
    t = Trace()
    down = t.op("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2])
    up = t.op("Resize", down, None, np.float32([1, 1, 2, 2]), coordinate_transformation_mode="asymmetric",
              mode="nearest", nearest_mode="floor")
    parts = []
    for axis in (3, 2):
        more = t.op("Sub", t.size("x", axis), t.size(up, axis))
        half = t.op("Div", more, np.int64(2))
        parts += [half, t.op("Sub", more, half)]
    given = t.vector(parts)
    zeros = t.op("ConstantOfShape", t.op("Sub", np.int64([8]), np.int64([4])), value=np.int64([0]))
    pairs = t.op("Reshape", t.op("Concat", given, zeros, axis=0), np.int64([-1, 2]))
    turned = t.op("Slice", pairs, np.int64([-1]), np.int64([-LARGEST]), np.int64([0]), np.int64([-1]))
    pads = t.op("Cast", t.op("Reshape", t.op("Transpose", turned, perm=[1, 0]), np.int64([-1])), to=7)
    t.op("Concat", "x", t.op("Pad", up, pads, np.float32(0), mode="constant"), axis=1, out="y")
    model = t.model([tensor("x", np.float32, ["n", 2, "h", "w"])], [tensor("y", np.float32, ["n", 4, "h", "w"])], opset=14)
    cases = []
    for h, w in IMAGES[1:]:
        x = ramp(1, 2, h, w)
        d = x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(1, 2, h // 2, 2, w // 2, 2).max((3, 5))
        up = d.repeat(2, 2).repeat(2, 3)
        cases.append(case([x], [np.concatenate([x, np.pad(up, ((0, 0), (0, 0), (0, h % 2), (0, w % 2)))], 1)]))
    return model, cases


def linear_along(x, axis, size):
    """Half-pixel linear interpolation of one axis."""
    at = np.clip((np.arange(size) + 0.5) * (x.shape[axis] / size) - 0.5, 0, x.shape[axis] - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, x.shape[axis] - 1)
    shape = [1] * x.ndim
    shape[axis] = size
    part = (at - low).reshape(shape)
    return x.take(low, axis) * (1 - part) + x.take(high, axis) * part


@idiom
def interpolate_to_sizes_of_a_run():
    """F.interpolate(x, size=sizes) with sizes that only a run knows; also as they are, and of one axis alone"""
    t = Trace()
    sizes = t.op("Concat", t.op("Slice", t.op("Shape", "x"), np.int64([0]), np.int64([2]), np.int64([0])), "size", axis=0)
    t.op("Resize", "x", None, None, sizes, out="y", coordinate_transformation_mode="half_pixel", mode="linear")
    model = t.model([tensor("x", np.float32, ["n", 3, "h", "w"]), tensor("size", np.int64, [2])],
                    [tensor("y", np.float32, None)], opset=13)
    x = ramp(2, 3, 5, 37) + np.float32(3)  # sums near 0 would be rounding errors
    return model, [case([x, np.int64([h, w])], [linear_along(linear_along(x, 3, w), 2, h).astype(np.float32)])
                   for h, w in ((5, 37), (9, 37), (5, 70), (11, 20), (2, 150))]


# --- Swin: windows of a padded image, merged patches ---

SIDE, CHANNELS = 3, 4


def missing(t, size, side):
    """(side - size % side) % side"""
    return t.op("Mod", t.op("Sub", np.int64(side), t.op("Mod", size, np.int64(side))), np.int64(side))


def pad_to_windows(t, x, h, w, side):
    """F.pad(x, (0, 0, 0, right, 0, bottom)) of [n, h, w, c]"""
    ends = t.vector([0, 0, 0, missing(t, w, side), 0, missing(t, h, side)])
    zeros = t.op("ConstantOfShape", np.int64([2]), value=np.int64([0]))
    pairs = t.op("Reshape", t.op("Concat", ends, zeros, axis=0), np.int64([-1, 2]))
    turned = t.op("Slice", pairs, np.int64([-1]), np.int64([-LARGEST]), np.int64([0]), np.int64([-1]))
    pads = t.op("Cast", t.op("Reshape", t.op("Transpose", turned, perm=[1, 0]), np.int64([-1])), to=7)
    return t.op("Pad", x, pads, np.float32(0), mode="constant")


def swin_block(t, x, channels, name):
    """Softmax within windows in place of attention, cropped and added."""
    n, h, w = (t.size(x, d) for d in range(3))
    p = pad_to_windows(t, x, h, w, SIDE)
    hp, wp = t.size(p, 1), t.size(p, 2)
    rows, columns = t.op("Div", hp, np.int64(SIDE)), t.op("Div", wp, np.int64(SIDE))
    v = t.op("Transpose", t.view(p, [n, rows, SIDE, columns, SIDE, channels]), perm=[0, 1, 3, 2, 4, 5])
    count = t.op("Mul", t.op("Mul", n, rows), columns)
    v = t.op("Reshape", v, t.vector([count, SIDE * SIDE, channels]))
    v = t.op("Softmax", v, axis=1)
    v = t.op("MatMul", v, t.weight(name, ramp(channels, channels)))
    v = t.op("Transpose", t.view(v, [n, rows, columns, SIDE, SIDE, channels]), perm=[0, 1, 3, 2, 4, 5])
    v = t.view(v, [n, hp, wp, channels])
    v = t.slice(t.slice(v, 1, 0, h), 2, 0, w)
    return t.op("Add", x, v)


def merge_patches(t, x, channels, name):
    """Pads height and width to even numbers, makes four neighbours channels of one point, halves their channels."""
    h, w = t.size(x, 1), t.size(x, 2)
    ends = t.vector([0, 0, 0, t.op("Mod", w, np.int64(2)), 0, t.op("Mod", h, np.int64(2))])
    zeros = t.op("ConstantOfShape", np.int64([2]), value=np.int64([0]))
    pairs = t.op("Reshape", t.op("Concat", ends, zeros, axis=0), np.int64([-1, 2]))
    turned = t.op("Slice", pairs, np.int64([-1]), np.int64([-LARGEST]), np.int64([0]), np.int64([-1]))
    pads = t.op("Reshape", t.op("Transpose", turned, perm=[1, 0]), np.int64([-1]))
    p = t.op("Pad", x, pads, np.float32(0), mode="constant")
    corners = [t.slice(t.slice(p, 1, i, LARGEST, 2), 2, j, LARGEST, 2) for j in (0, 1) for i in (0, 1)]
    return t.op("MatMul", t.op("Concat", *corners, axis=-1), t.weight(name, ramp(4 * channels, 2 * channels)))


def swin_block_result(x, channels):
    n, h, w, _ = x.shape
    p = np.pad(x, ((0, 0), (0, -h % SIDE), (0, -w % SIDE), (0, 0)))
    rows, columns = p.shape[1] // SIDE, p.shape[2] // SIDE
    v = p.reshape(n, rows, SIDE, columns, SIDE, channels).transpose(0, 1, 3, 2, 4, 5).reshape(-1, SIDE * SIDE, channels)
    e = np.exp(v - v.max(1, keepdims=True))
    v = (e / e.sum(1, keepdims=True)) @ ramp(channels, channels)
    v = v.reshape(n, rows, columns, SIDE, SIDE, channels).transpose(0, 1, 3, 2, 4, 5)
    return (x + v.reshape(n, rows * SIDE, columns * SIDE, channels)[:, :h, :w]).astype(np.float32)


def merged_patches(x, channels):
    p = np.pad(x, ((0, 0), (0, x.shape[1] % 2), (0, x.shape[2] % 2), (0, 0)))
    corners = [p[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
    return (np.concatenate(corners, -1) @ ramp(4 * channels, 2 * channels)).astype(np.float32)


@idiom
def swin_of_three_stages():
    """Height and width are free; each stage pads to whole windows and merges patches."""
    t = Trace()
    x, channels = "x", CHANNELS
    for stage in range(3):
        x = swin_block(t, x, channels, f"w{stage}")
        if stage < 2:
            x, channels = merge_patches(t, x, channels, f"m{stage}"), 2 * channels
    t.op("Add", x, np.float32(8), out="y")
    model = t.model([tensor("x", np.float32, ["n", "h", "w", CHANNELS])], [tensor("y", np.float32, None)], opset=14)
    cases = []
    for h, w in IMAGES:
        x, y, channels = ramp(2, h, w, CHANNELS), ramp(2, h, w, CHANNELS), CHANNELS
        for stage in range(3):
            y = swin_block_result(y, channels)
            if stage < 2:
                y, channels = merged_patches(y, channels), 2 * channels
        cases.append(case([x], [y + np.float32(8)]))
    return model, cases
