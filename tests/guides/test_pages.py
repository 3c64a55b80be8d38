"""Every block of the guides runs, and what they quote is in the files."""
import dataclasses
import glob
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


def changes_of(blocks, **places):
    """What tests replace in guides and examples: the ports that they name, which may be in use, and places."""
    ports = sorted({port for block in blocks for port in re.findall(r"(?:localhost:|port\"?[ =:]+)(\d{4,5})\b", block.code)})
    return {**places, **dict(zip(ports, map(str, free_ports(len(ports)))))}


def changed(text, changes):
    return re.sub("|".join(rf"{re.escape(it)}\b" for it in changes), lambda found: changes[found[0]], text)


def copy_examples(folder, changes):
    for source in glob.glob(os.path.join(pages.ROOT, "examples/**/*"), recursive=True):
        target = folder / os.path.relpath(source, pages.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.isfile(source):
            with open(source, encoding="utf-8") as file:
                target.write_text(changed(file.read(), changes))


def note_left_out(lines):
    for line in lines:
        print(line)
    if path := os.environ.get("GUIDES_LEFT_OUT"):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


@pytest.mark.parametrize("page", pages.PAGES, ids=names)
def test_blocks_run(page, processes, prefix, tmp_path):
    blocks = pages.blocks_of(page)
    left_out = {block.section: pages.missing_module(page, block.section) for block in blocks}
    note_left_out([f"docs/guides/{os.path.basename(page)}, {section}: there is no module {module}"
                   for section, module in left_out.items() if module])
    able = [dataclasses.asdict(block) for block in blocks if not left_out[block.section] and not block.quotes]
    changes = changes_of(blocks, **{"/usr/local": str(prefix), "/srv/models": str(tmp_path)})
    (tmp_path / "blocks.json").write_text(changed(json.dumps(able), changes))
    onnx.save(layers(4, 8, 3), tmp_path / "model.onnx")
    copy_examples(tmp_path, changes)
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
