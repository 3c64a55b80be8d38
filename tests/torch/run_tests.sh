#!/bin/sh
# Runs the tests of torch.compile(backend="cppgen") with pytest.
#
#   run_tests.sh SOURCE_DIR PACKAGE_FOLDER PYTHON [pytest's arguments...]
#
# PACKAGE_FOLDER contains the package cppgen, or is empty if it was not built. Exit status 77: skipped, as something is
# missing that is not needed to build cppgen. That is no error with CI=true, as PyTorch is too large for every run.
set -eu
source=$1 packages=$2 python=$3
shift 3

skip() {
  echo "torch.compile is not tested: $1"
  exit 77
}
[ -n "$packages" ] || skip "the Python package was not built, as Python's headers are missing (package python3-dev)"
for module in numpy pytest torch; do
  "$python" -c "import $module" > /dev/null 2>&1 ||
    skip "Python's module $module is missing; tests/torch/check.sh installs it in an environment of its own"
done
export PYTHONPATH="$packages" PYTHONDONTWRITEBYTECODE=1
exec "$python" -m pytest -q -p no:cacheprovider "$source/tests/torch" "$@"
