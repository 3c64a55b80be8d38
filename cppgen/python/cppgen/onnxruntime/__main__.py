"""Runs a program that uses ONNX Runtime, unchanged, with cppgen instead:

    python -m cppgen.onnxruntime SCRIPT.py [ARGUMENT...]
    python -m cppgen.onnxruntime -m MODULE [ARGUMENT...]
"""
import os
import runpy
import sys

from ._install import install


def main() -> None:
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    if is_module:
        del arguments[0]
    if not arguments or (arguments[0].startswith("-") and not is_module):
        sys.exit(__doc__)
    install()
    sys.argv[:] = arguments
    if is_module:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
