"""The guides (docs/guides) as blocks of code, which run in the order of the page.

    ```python            statements: all of a page share their names and one process
    ```sh                commands, with the programs of cppgen in PATH
    ```cpp main.cpp      a file, which is written to the page's folder; any language
    ```python examples/serving/triton/models/network/1/model.py
                         a file of the repository, or some lines of it in a row: the page must show what is there

The page's folder has a model, model.onnx (x [N, 4], y [N, 3]), and a copy of the folder `examples`. It takes the place of
/srv/models in blocks and examples, an installation of cppgen that of /usr/local, and free ports those of named ones.
"""
import dataclasses
import glob
import importlib.util
import os
import re

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
PAGES = sorted(glob.glob(os.path.join(ROOT, "docs/guides/*.md")))

# What sections need besides NumPy and onnx. Continuous integration leaves out those whose modules it has not;
# tests/guides/check.sh installs all of them.
NEEDS = {
    "batch.md": {"Dask": "distributed", "Ray Data": "ray"},
    "serving.md": {"Ray Serve": "ray", "MLServer and KServe": "mlserver"},
    "from_onnxruntime.md": {"A provider, in any language": "onnxruntime"},
    "from_torch_compile.md": {"The change": "torch", "What is different": "torch"},
    "from_openvino.md": {section: "openvino" for section in ("Reading and compiling", "Dynamic shapes", "Requests and queues")},
}  # yapf: disable

PART = re.compile(r"^## (?P<section>[^\n]*)$|^```(?P<language>\w*) ?(?P<file>[^\n]*)\n(?P<code>.*?)^```$", re.M | re.S)


@dataclasses.dataclass
class Block:
    section: str
    language: str
    file: str  # that the block is, or ""
    code: str
    line: int  # of its first line

    @property
    def quotes(self):
        return self.file.startswith("examples/")


def blocks_of(page):
    """The blocks of a page in their order."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    section, blocks = "", []
    for part in PART.finditer(text):
        if part["section"] is not None:
            section = part["section"]
        else:
            line = text.count("\n", 0, part.start()) + 2
            blocks.append(Block(section, part["language"], part["file"], part["code"], line))
    return blocks


def missing_module(page, section):
    """The module that a section of a page needs and this interpreter lacks, or None."""
    module = NEEDS.get(os.path.basename(page), {}).get(section)
    return module if module and not importlib.util.find_spec(module) else None


def is_quoted(block, root=ROOT):
    """Whether the file of the repository contains the lines of the block, one after another."""
    path = os.path.join(root, block.file)
    if not os.path.isfile(path):
        return False
    with open(path, encoding="utf-8") as file:
        return "\n" + block.code in "\n" + file.read()
