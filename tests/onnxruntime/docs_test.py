#!/usr/bin/python3
"""The programs in docs/onnxruntime.md run as they are, but for the place of the library.

usage: docs_test.py PAGE
"""
import os
import re
import subprocess
import sys
import tempfile

LIBRARY = os.environ["PROVIDER_LIBRARY"]
INSTALLED = "/usr/local/lib/libcppgen_onnxruntime.so"


def main():
    with open(sys.argv[1], encoding="utf-8") as page:
        programs = re.findall(r"^```python\n(.*?)^```$", page.read(), re.M | re.S)
    assert len(programs) == 2 and INSTALLED in programs[0]
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, CPPGEN_CACHE_DIR=os.path.join(folder, "cache"))
        program = "\n".join(programs).replace(INSTALLED, LIBRARY)
        ended = subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True,
                               text=True, check=False)
        print(ended.stdout + ended.stderr)
        assert ended.returncode == 0
        assert ended.stdout.startswith("CppgenExecutionProvider [1.928"), ended.stdout
        assert os.path.getsize(os.path.join(folder, "example_ctx.onnx")) > 10000


main()
