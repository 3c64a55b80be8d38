"""Every block of the guides runs, and what they quote is in the files."""
import dataclasses
import json
import os
import re
import subprocess
import sys

import onnx
import pytest

import pages
from networks import layers
from processes import free_ports, finish

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["GUIDES_BUILD"]  # build directory of cppgen
names = [os.path.basename(page) for page in pages.PAGES]


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """cppgen as installed, for programs that are built."""
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def with_free_ports(blocks):
    """The blocks with other ports than those that they name: these may be in use."""
    named = sorted({port for block in blocks for port in re.findall(r"(?:localhost:|port[ =:]+)(\d{4,5})\b", block.code)})
    free = dict(zip(named, map(str, free_ports(len(named)))))
    replaced = {port: re.compile(rf"\b{port}\b") for port in named}
    changed = []
    for block in blocks:
        code = block.code
        for port, expression in replaced.items():
            code = expression.sub(free[port], code)
        changed.append(dataclasses.replace(block, code=code))
    return changed


def note_left_out(lines):
    for line in lines:
        print(line)
    if path := os.environ.get("GUIDES_LEFT_OUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


@pytest.mark.parametrize("page", pages.PAGES, ids=names)
def test_blocks_run(page, processes, prefix, tmp_path):
    blocks = [block for block in pages.blocks_of(page) if not block.quotes]
    left_out = {block.section: pages.missing_module(page, block.section) for block in blocks}
    note_left_out(f"docs/guides/{os.path.basename(page)}, {section}: there is no module {module}"
                  for section, module in left_out.items() if module)
    able = with_free_ports([block for block in blocks if not left_out[block.section]])
    onnx.save(layers(4, 8, 3), tmp_path / "model.onnx")
    os.symlink(os.path.join(pages.ROOT, "examples"), tmp_path / "examples")
    (tmp_path / "blocks.json").write_text(json.dumps([dataclasses.asdict(block) for block in able]).replace("/usr/local", str(prefix)))
    path = [os.path.dirname(sys.executable), os.path.join(BUILD, "bin"), os.environ["PATH"]]
    finish(processes.start(sys.executable, os.path.join(HERE, "run_blocks.py"), "blocks.json", os.path.basename(page),
                           PATH=os.pathsep.join(path), CMAKE_PREFIX_PATH=str(prefix)), seconds=600)


@pytest.mark.parametrize("page", pages.PAGES, ids=names)
def test_quotes_are_what_the_files_say(page):
    for block in pages.blocks_of(page):
        assert not block.quotes or pages.is_quoted(block), f"{page}:{block.line}: this is not in {block.file}"


@pytest.mark.parametrize("page", pages.PAGES, ids=names)
def test_blocks_are_of_a_known_kind(page):
    blocks = pages.blocks_of(page)
    assert [f"{page}:{it.line}" for it in blocks if not it.file and it.language not in ("python", "sh")] == []
    assert set(pages.NEEDS.get(os.path.basename(page), {})) <= {block.section for block in blocks}
    with open(page, encoding="utf-8") as file:
        assert not re.search(r"^(    |\t)\S", re.sub(r"^```.*?^```$", "", file.read(), flags=re.M | re.S), re.M), \
            "indented code would not be run"


def test_changed_quotes_are_found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.py").write_text("one\n  two\nthree\n")
    block = pages.Block("", "python", "a/b.py", "  two\nthree\n", 1)
    assert pages.is_quoted(block, tmp_path)
    for code in ("one\nthree\n", "two\nthree\n", "  two\nthre\n"):
        assert not pages.is_quoted(dataclasses.replace(block, code=code), tmp_path)
    assert not pages.is_quoted(dataclasses.replace(block, file="a/c.py"), tmp_path)
