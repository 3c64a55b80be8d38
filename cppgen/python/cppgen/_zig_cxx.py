"""zig's clang as a C++ compiler with the options of others: python _zig_cxx.py ZIG VERSION OPTIONS...

This is a program of its own, which starts with each kernel, so it imports nothing but os. The version is not read: it
is a part of the command, which the cache of kernels is keyed by."""
import os
import sys


def _option(word: str) -> str:
    """zig writes names of processors with an underscore."""
    return word.replace("-march=x86-64", "-march=x86_64") if word.startswith("-march=") else word


if __name__ == "__main__":
    zig = sys.argv[1]
    # cc compiles C++ as well, and does not build the C++ library, which kernels do not use. Without what zig adds in
    # builds that it takes for those of developers.
    os.execv(zig, [zig, "cc", *map(_option, sys.argv[3:]), "-fno-sanitize=undefined"])
