"""Texts, images and sounds for packages: made here, so that nothing is downloaded."""
import io

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ARABIC = ("ذهب الولد إلى المدرسة في الصباح", "اللغة العربية لغة جميلة", "كتب الطالب الدرس على السبورة")
HEBREW = ("שלום עולם", "הילד הלך לבית הספר בבוקר", "מה שלומך היום")
ENGLISH = ("The compiler translates a network to machine code.", "Rain is expected in the north tomorrow.", "A short one.",
           "Cats sleep for most of the day, and hunt at night; dogs prefer to do it the other way around.")


def page(lines, size=28, width=760):
    """An image with lines of text: uint8 [height, width, 3]."""
    image = Image.new("RGB", (width, 40 + 2 * size * len(lines)), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    for i, line in enumerate(lines):
        draw.text((24, 24 + 2 * size * i), line, fill="black", font=font)
    return np.asarray(image)


def picture(height=480, width=640, seed=0):
    """Smooth colours with discs: uint8 [height, width, 3]."""
    random = np.random.default_rng(seed)
    small = Image.fromarray(random.integers(0, 255, (6, 8, 3), np.uint8))
    image = small.resize((width, height), Image.BICUBIC)
    draw = ImageDraw.Draw(image)
    for _ in range(5):
        x, y, r = random.integers(0, width), random.integers(0, height), random.integers(20, 90)
        draw.ellipse((int(x - r), int(y - r), int(x + r), int(y + r)), fill=tuple(random.integers(0, 255, 3).tolist()))
    return np.asarray(image)


def png(image):
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return file.getvalue()


def voice(seconds, rate=16000):
    """Vowels with pauses, as a throat makes them, pulses through resonances: float32 in [-1, 1]."""
    random = np.random.default_rng(3)
    time = np.arange(int(seconds * rate)) / rate
    pitch = 120 + 25 * np.sin(2 * np.pi * 0.7 * time)
    phase = np.cumsum(pitch) / rate
    sound = np.zeros_like(time)
    vowels = np.array([(730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480)], np.float64)
    formants = vowels[(time * 4).astype(int) % len(vowels)]
    for harmonic in range(1, 30):
        strength = sum(1 / (1 + ((harmonic * pitch - formants[:, k]) / 90)**2) for k in range(3))
        sound += strength / (1 + 0.08 * harmonic) * np.sin(2 * np.pi * harmonic * phase)
    spoken = (np.sin(2 * np.pi * 0.25 * time) > -0.3) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * time))
    sound = sound * spoken + 0.003 * random.standard_normal(len(time))
    return (0.6 * sound / np.abs(sound).max()).astype(np.float32)


def files():
    """Contents of files of several kinds."""
    code = b"import os\n\n\ndef main(argv):\n    for name in argv:\n        print(os.path.getsize(name))\n\n\nmain(['a'])\n"
    return [code, b"#include <stdio.h>\n\nint main(void) {\n  printf(\"%d\\n\", 3);\n  return 0;\n}\n", png(picture(64, 64)),
            b'{"name": "cppgen", "versions": [1, 2, 3], "nested": {"a": null}}\n' * 5, " ".join(ENGLISH).encode() * 4,
            b"<!DOCTYPE html><html><head><title>x</title></head><body><p>hello</p></body></html>\n" * 3,
            b"name,size,price\nbolt,3,0.25\nnut,4,0.10\n" * 20, bytes(range(256)) * 8]
