"""Runs blocks of a page, one after another, in the current folder: run_blocks.py BLOCKS.json PAGE"""
import json
import os
import subprocess
import sys


def run(block, page, names):
    code = block["code"]
    if block["file"]:
        os.makedirs(os.path.dirname(block["file"]) or ".", exist_ok=True)
        with open(block["file"], "w", encoding="utf-8") as file:
            file.write(code)
    elif block["language"] == "sh":
        subprocess.run(["sh", "-euc", code], check=True)
    else:
        exec(compile("\n" * (block["line"] - 1) + code, page, "exec"), names)  # pylint: disable=exec-used


def main():
    names = {"__name__": "__main__"}
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = json.load(file)
    for block in blocks:
        print(f"== {sys.argv[2]}:{block['line']}", flush=True)
        run(block, sys.argv[2], names)


main()
