#!/bin/sh
# Runs the code of the guides (docs/guides) and the tests of their examples with pytest.
#
#   run_tests.sh SOURCE_DIR BUILD_DIR PYTHON [pytest's arguments...]
#
# BUILD_DIR has everything built, and the package cppgen in BUILD_DIR/python. Sections of the guides whose Python packages
# are missing are left out, and named in BUILD_DIR/guides_left_out.txt; tests/guides/check.sh installs all.
#
# Environment: PREFERRED_PYTHON, an interpreter that is used instead if it exists: that of tests/make_python.sh.
#
# Exit status 77: skipped, as something is missing that is not needed to build cppgen; with CI=true that is an error.
set -eu
source=$1 build=$2 python=$3
shift 3
if [ -x "${PREFERRED_PYTHON:-}" ] && "$PREFERRED_PYTHON" -c "import numpy, onnx, pytest" 2> /dev/null; then
  python=$PREFERRED_PYTHON
fi

skip() {
  echo "the guides are not tested: $1"
  case ${CI:-} in
    true | 1 | yes) exit 1 ;;
    *) exit 77 ;;
  esac
}
[ -d "$build/python/cppgen" ] || skip "Python's headers are missing (package python3-dev)"
for module in numpy onnx pytest; do
  "$python" -c "import $module" 2> /dev/null || skip "Python's module $module is missing (package python3-$module)"
done
GUIDES_BUILD=$build GUIDES_LEFT_OUT=$build/guides_left_out.txt
export GUIDES_BUILD GUIDES_LEFT_OUT
rm -f "$GUIDES_LEFT_OUT"
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -rs -p no:cacheprovider "$source/tests/guides" "$@"
