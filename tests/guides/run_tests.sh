#!/bin/sh
# Runs the code of the guides (docs/guides) and the tests of their examples with pytest.
#
#   run_tests.sh SOURCE_DIR BUILD_DIR PYTHON [pytest's arguments...]
#
# BUILD_DIR has everything built, and the package cppgen in BUILD_DIR/python. Sections of the guides whose Python packages
# are missing are left out, and named in BUILD_DIR/guides_left_out.txt; tests/guides/check.sh installs all.
#
# PREFERRED_PYTHON and the exit status 77: see tests/python/choose_python.sh.
set -eu
source=$1 build=$2 python=$3
shift 3
tests="The guides"
. "$source/tests/python/choose_python.sh"
[ -d "$build/python/cppgen" ] || skip "Python's headers are missing (package python3-dev)"
GUIDES_BUILD=$build GUIDES_LEFT_OUT=$build/guides_left_out.txt
export GUIDES_BUILD GUIDES_LEFT_OUT
rm -f "$GUIDES_LEFT_OUT"
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -rs -p no:cacheprovider "$source/tests/guides" "$@"
