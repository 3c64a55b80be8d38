#!/usr/bin/python3
"""The snippets of the documents do what readers expect of them.

usage: snippets.py extract SOURCE_DIR OUT_DIR
       snippets.py commands SOURCE_DIR CPPGEN CPPGEN_RUN

`extract` writes each block of C and C++ to a file, which tests/runtime/install_test.sh builds as it is, and fails for
code that is not in a fenced block (```c, ```cpp), where it would be missed. `commands` checks that each command of
cppgen and each option in the documents exists: in blocks, and between backticks.
"""
import functools
import glob
import os
import re
import shlex
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
ENDS = {"c": ".c", "cpp": ".cpp"}
FOLDERS = (".", "docs", "docs/guides", "bench", "examples")


def documents(root):
    return sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(root, folder, "*.md")))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def extract(root, out):
    findings = []
    for path in documents(root):
        text = read(path)
        name = os.path.splitext(os.path.relpath(path, root))[0].replace(os.sep, "_")
        for number, (language, code) in enumerate(FENCE.findall(text), 1):
            if language in ENDS and "guides" not in name:  # these are built by tests/guides
                with open(os.path.join(out, f"{name}_{number}{ENDS[language]}"), "w", encoding="utf-8") as f:
                    f.write(code)
        for line in FENCE.sub("", text).splitlines():
            if re.match(r"\s+(#include|int main\b|[\w:<>*&\s]+\(.*\);\s*(//.*)?$)", line):
                findings.append(f"{path}: code outside of a fenced block: {line.strip()}")
    return findings


def commands_of(text):
    """Words of each command of cppgen or cppgen-run."""
    blocks = [code for language, code in FENCE.findall(text) if language in ("", "sh")]
    plain = FENCE.sub("", text)
    blocks += re.findall(r"^    .*$", plain, re.M)
    blocks += [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", plain)]
    for line in "\n".join(blocks).splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words.pop(0)
        if words and re.fullmatch(r"(\S*bin/)?cppgen(-run)?", words[0]):
            yield [os.path.basename(words[0])] + words[1:]


def commands(root, cppgen, cppgen_run):
    def output(*command):
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended.stdout if ended.returncode == 0 else ""

    def options_in(text):
        return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text)) | {"--help", "--version"}

    @functools.cache
    def help_of(name):
        return output(cppgen, name, "--help")

    of_run = options_in(output(cppgen_run, "--help"))
    findings, count = [], 0
    for path in documents(root):
        for words in commands_of(read(path)):
            count += 1
            options = [w.split("=")[0] for w in words if w.startswith("-") and w != "--"]
            if words[0] == "cppgen-run":
                possible = of_run
            elif len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
                if not help_of(words[1]):
                    findings.append(f"{path}: there is no command: {' '.join(words)}")
                    continue
                possible = options_in(help_of(words[1]))
            else:
                possible = options_in(output(cppgen, "--help"))
            for option in options:
                if option not in possible:
                    findings.append(f"{path}: there is no option {option}: {' '.join(words)}")
    if count < 50 or help_of("frobnicate"):
        findings.append(f"{count} commands were found, and some help for what there is not: the search is broken")
    return findings


def main():
    action, *arguments = sys.argv[1:]
    findings = {"extract": extract, "commands": commands}[action](*arguments)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
