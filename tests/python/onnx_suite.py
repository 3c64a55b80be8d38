"""A long check, which continuous integration does not run: all tests of ONNX for backends, through cppgen.backend.

    PYTHONPATH=build/release/python build/python/bin/python3 tests/python/onnx_suite.py [--part 1/2] [NAME...]

Tests that tests/conformance/known_failures.txt lists must fail, where this version of onnx has them, and all others must
pass. `--part` is for several processes at once. Tests of certain NAMEs are those whose names contain one."""
import argparse
import sys
import unittest

import onnx

import onnx_tests


def part_of(text):
    number, _, count = text.partition("/")
    return int(number) - 1, int(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--part", type=part_of, default=(0, 1))
    options = parser.parse_intermixed_args()
    number, count = options.part
    chosen = [it for it in onnx_tests.names() if any(name in it for name in options.names)][number::count]
    known, wrong, ran = onnx_tests.known_failures(), 0, 0
    for test in onnx_tests.cases(chosen, __name__):
        result = unittest.TestResult()
        test.run(result)
        ran += 1
        name = test._testMethodName.removesuffix("_cpu")
        problems = [text for _, text in result.failures + result.errors]
        if problems and name not in known:
            wrong += 1
            print(f"{name} fails: {problems[0].strip().splitlines()[-1]}", flush=True)
        elif not problems and name in known and not result.skipped:
            print(f"{name} passes, although it is listed as one that does not", flush=True)
    print(f"onnx {onnx.__version__}: {ran} tests of {len(chosen)} ran, {wrong} of them failed unexpectedly")
    sys.exit(bool(wrong or not ran))


if __name__ == "__main__":
    main()
