#!/usr/bin/python3
"""Performs what `Adding things` in docs/architecture.md says: makes the additions of additions.py in a copy of the
sources, and counts the files that each touches.

usage: perform.py [--build] SOURCE_DIR WORK_DIR

--build also builds the program with all of them (about 7 minutes of one processor) and runs each new thing.
"""
import os
import shutil
import subprocess
import sys

from additions import ADDITIONS


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))


def insert(path, after, text):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    if lines.count(after) != 1:
        sys.exit(f"{path}: the line {after!r} occurs {lines.count(after)} times")
    at = lines.index(after) + 1
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines[:at] + [text] + lines[at:]))


def add(addition, tree):
    """Makes the addition; returns the files that are new to the copy or changed by it."""
    touched = {path for path, _, _ in addition.lines}
    for path, text in addition.new.items():
        if not os.path.exists(os.path.join(tree, path)):
            touched.add(path)
        os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
        with open(os.path.join(tree, path), "w", encoding="utf-8") as f:
            f.write(text)
    for path, after, text in addition.lines:
        insert(os.path.join(tree, path), after, text)
    return sorted(touched)


def build(tree):
    out = os.path.join(tree, "build")
    subprocess.run(["cmake", "-S", tree, "-B", out, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCPPGEN_TESTS=OFF",
                    "-DCPPGEN_BENCH=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", out, "--target", "cppgen"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(out, "bin", "cppgen")


def main():
    source, work = sys.argv[-2:]
    tree = os.path.join(work, "tree")
    copy(source, tree)
    failed = False
    for addition in ADDITIONS:
        touched = add(addition, tree)
        print(f"{addition.name}: {len(touched)} files: {', '.join(touched)}")
        if len(touched) > addition.files:
            print(f"  more than {addition.files}")
            failed = True
    if "--build" in sys.argv:
        from new_things import check_all
        failed |= not check_all(build(tree), work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
