#!/bin/sh
# Runs the tests of the Python package with pytest.
#
#   run_tests.sh SOURCE_DIR PACKAGE_FOLDER PYTHON [pytest's arguments...]
#
# Environment: PREFERRED_PYTHON, an interpreter that is used instead if it exists: that of tests/make_python.sh, which has
# ONNX Runtime, with which cppgen.onnxruntime is compared.
#
# PACKAGE_FOLDER contains the package cppgen, or is empty if it was not built. Exit status 77: skipped, as something is
# missing that is not needed to build cppgen; with CI=true that is an error.
set -eu
source=$1 packages=$2 python=$3
shift 3

tests="The parts of the Python package"
. "$source/tests/python/choose_python.sh"
[ -n "$packages" ] || skip "Python's headers are missing (package python3-dev)"
export PYTHONPATH="$packages" PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -p no:cacheprovider "$source/tests/python" "$@"
