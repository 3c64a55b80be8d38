#!/bin/sh
# Runs a test in the virtual environment that tests/make_python.sh makes.
#
#   with_python.sh SOURCE_DIR MODULE SCRIPT...
#
# Without MODULE there the test is skipped (exit status 77), or fails with CI=true.
set -eu
python=$1/build/python/bin/python3
module=$2
shift 2
if [ -x "$python" ] && "$python" -c "import $module" 2> /dev/null; then
  exec "$python" -B "$@"
fi
echo "skipped: there is no $module in build/python; tests/make_python.sh installs it"
case ${CI:-} in true | 1 | yes) exit 1 ;; esac
exit 77
