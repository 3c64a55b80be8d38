"""Says what a run of the tests skipped and why, and which cases took the longest.

usage: report.py FOLDER, which holds what GoogleTest wrote with GTEST_OUTPUT=xml:FOLDER/
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree

MOST_NAMES = 4
SLOWEST = 15


def reason(case):
    """The message of a skipped test without its place in the source; None if the test was not skipped."""
    skipped = case.find("skipped")
    if skipped is None:
        return None
    lines = [line for line in skipped.get("message", "").splitlines() if line]
    return lines[min(1, len(lines) - 1)] if lines else "no reason is given"


def main(folder):
    skipped, seconds = collections.defaultdict(set), {}
    for path in sorted(pathlib.Path(folder).glob("*.xml")):
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            name = f"{path.stem}: {case.get('classname')}.{case.get('name')}"
            seconds[name] = float(case.get("time", 0))
            why = reason(case)
            if why:
                skipped[why].add(name)
    print(f"{len(seconds)} test cases, of which {sum(map(len, skipped.values()))} were skipped:")
    for why, names in sorted(skipped.items()):
        shown = sorted(names)[:MOST_NAMES]
        more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        print(f"  {why}: {', '.join(shown)}{more}")
    print("the slowest, in seconds:")
    for name in sorted(seconds, key=seconds.get, reverse=True)[:SLOWEST]:
        print(f"  {seconds[name]:6.1f} {name}")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(sys.argv[1])
