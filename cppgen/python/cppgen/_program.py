"""The program cppgen, which the package contains."""
from __future__ import annotations

import os
import sys

from . import _compilers
from ._errors import UserError


def program() -> str:
    """The path of the program."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "cppgen")
    if not os.path.exists(path):
        raise UserError(f"the program {path} is missing: install cppgen anew")
    return path


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    compiler = _compilers.setting({})
    if compiler is not None:
        os.environ["CPPGEN_CXX"] = compiler
    os.execv(program(), ["cppgen", *sys.argv[1:]])
