#!/usr/bin/python3
"""Checks the structure of the sources: who includes whom, and how long functions, classes and files are.

usage: structure.py [--update] SOURCE_DIR

Prints each finding and fails if there is one. A room is a folder that `cppgen_room` declares in a CMakeLists.txt, with
the folders below it.
--update draws the picture of the rooms, docs/rooms.svg, again.
"""
import itertools
import os
import re
import statistics
import sys

from rooms_picture import picture, reachable

MOST_DEPTH = 9  # includes of our own files in a row, below a source
MOST_FUNCTION_LINES = 70
MOST_CLASS_LINES = 380
MOST_MEDIAN, MOST_P90 = 80, 220  # lines of a file of the product
PRODUCT = ("cppgen/", "runtime/", "isa/", "vec/")

RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)  # code that the compiler emits, which includes what it likes
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
COMPILED_ALONE = re.compile(r"tiles_(scalar|avx|amx)\w*\.cpp$")  # of the product; see cmake/rooms.cmake
# What opens a brace at the depth of a function and is none.
NO_FUNCTION = re.compile(r'\s*(namespace|struct|class|enum|union|extern "C"|template|private|public|protected)\b')


def sources(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", ".git")]
        for name in names:
            if name.endswith((".h", ".cpp", ".def", ".inc")):
                yield os.path.relpath(os.path.join(folder, name), root)


def include_graph(texts):
    def found(path, name):
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        return next((p for p in (name, beside) if p in texts), None)

    return {path: [f for f in (found(path, n) for n in INCLUDE.findall(RAW_TEXT.sub("", text))) if f]
            for path, text in texts.items()}


def longest_chain(graph, what):
    """The longest path, and findings for cycles."""
    chains, open_nodes, findings = {}, [], []

    def visit(node):
        if node in chains:
            return chains[node]
        if node in open_nodes:
            cycle = open_nodes[open_nodes.index(node):] + [node]
            findings.append(f"cycle of {what}: " + " > ".join(cycle))
            return []
        open_nodes.append(node)
        longest = max((visit(n) for n in graph[node]), key=len, default=[])
        open_nodes.pop()
        chains[node] = [node] + longest
        return chains[node]

    for node in sorted(graph):
        visit(node)
    return max(chains.values(), key=len), findings


def declared_rooms(root):
    """The rooms, each with those in DEPS."""
    rooms = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", ".git", "tests")]
        if "CMakeLists.txt" not in names:
            continue
        with open(os.path.join(folder, "CMakeLists.txt"), encoding="utf-8") as f:
            text = re.sub(r"#.*", "", f.read())
        for call in re.findall(r"\bcppgen_room\(([^)]*)\)", text):
            words = call.split()
            deps = words[words.index("DEPS") + 1:] if "DEPS" in words else []
            rooms[words[0]] = list(itertools.takewhile(lambda word: not word.isupper(), deps))
    return rooms


def rooms_without_page(root, rooms):
    with open(os.path.join(root, "docs/internals/README.md"), encoding="utf-8") as f:
        named = set(re.findall(r"`([^`]+)`", f.read()))
    for room in sorted(set(rooms) - named):
        yield f"docs/internals/README.md names no page for {room}"


def wrong_directions(arrows, deps):
    """Includes of rooms that a room does not depend on. Of sources, these do not compile either."""
    for room in sorted(arrows):
        for other in sorted(set(arrows[room]) - reachable(deps, room)):
            yield f"{room} includes {other}, which is not among the rooms in its DEPS or theirs"


def room_graph(graph, rooms):
    def room(path):
        return next((r for r in rooms if path.startswith(r + "/")), None)

    arrows = {r: set() for r in rooms}
    for path, included in graph.items():
        for other in included:
            if room(path) and room(other) and room(path) != room(other):
                arrows[room(path)].add(room(other))
    return {r: sorted(a) for r, a in arrows.items()}


def long_classes(path, text):
    """Classes as clang-format writes them, on any depth."""
    lines = text.splitlines()
    for begin, line in enumerate(lines):
        if found := re.match(r"( *)(?:template.*> )?(?:class|struct) (\w[\w:]*)[^;]*\{$", line):
            end = next(i for i in range(begin + 1, len(lines)) if lines[i].startswith(found[1] + "}"))
            if end - begin - 1 > MOST_CLASS_LINES:
                yield f"{path}:{begin + 1}: class {found[2]} of {end - begin - 1} lines; at most {MOST_CLASS_LINES}"


def long_functions(path, text):
    """Functions as clang-format writes them: from a line that opens a brace to the brace at the same depth. Tables,
    whose bodies are one statement each, may be longer: they return or fill an initialiser list."""
    lines = text.splitlines()
    for indent in ("", "  "):
        begin = None
        for i, line in enumerate(lines):
            opens = line.startswith(indent) and line.rstrip().endswith(("{", "({")) and line[len(indent):len(indent) + 1].isalpha()
            if begin is None and opens and re.search(r"\) (const |override |noexcept )*\{$", line) and not NO_FUNCTION.match(line):
                begin = i
            elif begin is not None and line.startswith(indent + "}"):
                body = lines[begin + 1:i]
                statements = sum(b.startswith(indent + "  ") and not b.startswith(indent + "   ") and b.rstrip().endswith((";", "{")) for b in body)
                if len(body) > MOST_FUNCTION_LINES and statements > 3:
                    yield f"{path}:{begin + 1}: a function of {len(body)} lines"
                begin = None


def local_functions(text):
    """Names of functions in unnamed namespaces."""
    inside, names = False, set()
    for line in text.splitlines():
        if line == "namespace {" or line == "}  // namespace":
            inside = line == "namespace {"
        elif (inside or line.startswith("static ")) and not line.startswith(("using", "struct", "class", "typedef")):
            if found := re.match(r"[A-Za-z_][\w:<>,&* \[\]()]*?[ &*](\w+)\(", line):
                names.add(found[1])
    return names


def doubled_names(room, texts):
    """Sources of a room are compiled in groups, where a function of another source may be the better overload."""
    owners = {}
    for path, text in sorted(texts.items()):
        if path.startswith(room + "/") and path.endswith(".cpp") and not COMPILED_ALONE.search(path):
            for name in local_functions(text):
                owners.setdefault(name, []).append(path)
    return [f"{name}() stands in unnamed namespaces of one room: " + ", ".join(p) for name, p in sorted(owners.items()) if len(p) > 1]


def check_picture(path, drawn, update):
    if update:
        with open(path, "w", encoding="utf-8") as f:
            f.write(drawn)
    with open(path, encoding="utf-8") as f:
        return [] if f.read() == drawn else [f"{path} shows other rooms: run tests/lint/structure.py --update ."]


def main():
    root = sys.argv[-1]
    texts = {}
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            texts[path] = f.read()
    graph = include_graph(texts)
    chain, findings = longest_chain(graph, "includes")
    if len(chain) - 1 > MOST_DEPTH:
        findings.append(f"{len(chain) - 1} includes in a row: " + " > ".join(chain))
    deps = declared_rooms(root)
    rooms = room_graph(graph, deps)
    findings += wrong_directions(rooms, deps)
    findings += rooms_without_page(root, deps)
    for room in sorted(rooms):
        findings += doubled_names(room, texts)
    findings += longest_chain(rooms, "rooms")[1]
    findings += check_picture(os.path.join(root, "docs/rooms.svg"), picture(rooms), "--update" in sys.argv)
    product = {p: t for p, t in texts.items() if p.startswith(PRODUCT) and p.endswith((".h", ".cpp"))}
    for path, text in sorted(product.items()):
        findings += long_functions(path, text)
        findings += long_classes(path, text)
    lengths = sorted(t.count("\n") for t in product.values())
    median, p90 = statistics.median(lengths), lengths[len(lengths) * 9 // 10]
    if median > MOST_MEDIAN or p90 > MOST_P90:
        findings.append(f"files have {median:.0f} lines in the median, {p90} at nine tenths; at most {MOST_MEDIAN}, {MOST_P90}")
    print("\n".join(findings) or
          f"{len(texts)} files; {len(chain) - 1} includes in a row; lines of a file: median {median:.0f}, nine tenths {p90}")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
