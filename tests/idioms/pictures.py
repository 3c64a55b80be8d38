"""Pictures that a model decodes and prepares itself, as servers of image models have it."""
import numpy as np

from idiom import case, idiom, make_model, node, ramp, tensor


def bitmap(pixels):
    """A BMP: rows from the bottom, blue first, each of a multiple of four bytes."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, :3 * width] = pixels[::-1, :, ::-1].reshape(height, -1)
    sizes = np.array([40, width, height], np.uint32).tobytes()
    head = b"BM" + bytes(8) + np.uint32(54).tobytes() + sizes + np.array([1, 24], np.uint16).tobytes() + bytes(24)
    return np.frombuffer(head + rows.tobytes(), np.uint8)


def pixmap(pixels):
    return np.frombuffer(b"P6\n%d %d\n255\n" % pixels.shape[1::-1] + pixels.tobytes(), np.uint8)


@idiom
def decoded_and_normalised():
    nodes = [node("ImageDecoder", ["file"], ["image"], pixel_format="BGR"), node("Cast", ["image"], ["f"], to=1),
             node("Div", ["f", "range"], ["s"]), node("Sub", ["s", "mean"], ["c"]), node("Div", ["c", "deviation"], ["n"]),
             node("Transpose", ["n"], ["t"], perm=[2, 0, 1]), node("Unsqueeze", ["t", "first"], ["y"])]
    mean, deviation = np.float32([0.5, 0.4, 0.3]), np.float32([0.2, 0.25, 0.5])
    model = make_model(nodes, [tensor("file", np.uint8, ["n"])], [tensor("y", np.float32, [1, 3, None, None])],
                       {"range": np.float32(255), "mean": mean, "deviation": deviation, "first": np.int64([0])}, opset=20)
    cases = []
    for writer, height, width in ((bitmap, 5, 7), (pixmap, 3, 4)):
        pixels = (ramp(height, width, 3) * 127 + 128).astype(np.uint8)
        y = (pixels[:, :, ::-1] / np.float32(255) - mean) / deviation
        cases.append(case([writer(pixels)], [y.transpose(2, 0, 1)[None].astype(np.float32)]))
    return model, cases


@idiom
def gray_of_any_file():
    """Brightness by ITU-R 601-2; a file that is no picture is one without pixels."""
    nodes = [node("ImageDecoder", ["file"], ["y"], pixel_format="Grayscale")]
    model = make_model(nodes, [tensor("file", np.uint8, ["n"])], [tensor("y", np.uint8, ["h", "w", 1])], opset=20)
    pixels = (ramp(4, 6, 3) * 127 + 128).astype(np.uint8)
    gray = (pixels.astype(np.int64) @ [19595, 38470, 7471] + 0x8000) >> 16
    return model, [case([pixmap(pixels)], [gray.astype(np.uint8)[:, :, None]]),
                   case([np.frombuffer(b"no picture", np.uint8)], [np.zeros((0, 0, 1), np.uint8)])]
