#!/bin/sh
# A long check, which continuous integration does not run: packages of PyPI that use ONNX Runtime and have their models in
# their wheels, unchanged. Each runs with ONNX Runtime, with cppgen.onnxruntime in its place, and with cppgen's execution
# provider; results must be equal, and a table has the times, which only mean something on a quiet machine.
#
#   tests/python/packages.sh [BUILD_DIR [ARGUMENT...]]
#
# BUILD_DIR (build/release) has the built Python package and the provider. The environment is BUILD_DIR/packages_environment,
# which stays, so that a second check downloads nothing; it needs a network and 2 GB. Arguments are those of
# packages/compare.py, such as --cold, which compiles all models anew, and names of scenarios in packages/scenarios.py.
#
# silero-vad needs PyTorch. It runs if BUILD_DIR/torch_environment, which tests/torch/check.sh makes, has that.
#
# Environment: PYTHON, default python3, of at least version 3.11
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ $# -eq 0 ] || shift
[ -f "$build/python/cppgen/_cppgen.abi3.so" ] || { echo "build the target cppgen_python in $build first" >&2; exit 2; }
[ -f "$build/lib/libcppgen_onnxruntime.so" ] || { echo "build libcppgen_onnxruntime.so in $build first" >&2; exit 2; }
build=$(cd "$build" && pwd)
environment=$build/packages_environment
python=$environment/bin/python
list=$PWD/tests/python/packages/packages.txt

if ! cmp -s "$list" "$environment/installed.txt"; then
  "${PYTHON:-python3}" -m venv --clear "$environment"
  # Some ask for other frameworks, or for exact versions, without need: those of the second part come alone.
  sed '/^# alone/,$d' "$list" | grep -v '^#' > "$environment/first.txt"
  sed '1,/^# alone/d' "$list" > "$environment/alone.txt"
  "$python" -m pip install -q --disable-pip-version-check -r "$environment/first.txt"
  "$python" -m pip install -q --disable-pip-version-check --no-deps -r "$environment/alone.txt"
  cp "$list" "$environment/installed.txt"
fi
if ! "$python" -c 'import torch' 2> /dev/null; then
  for packages in "$build"/torch_environment/lib/python*/site-packages; do
    [ ! -d "$packages/torch" ] || echo "$packages" > "$(echo "$environment"/lib/python*/site-packages)/torch.pth"
  done
fi

CPPGEN_CACHE_DIR=${CPPGEN_CACHE_DIR:-$build/packages_cache}
mkdir -p -m 700 "$CPPGEN_CACHE_DIR"
CPPGEN_CACHE_DIR=$(cd "$CPPGEN_CACHE_DIR" && pwd)
PROVIDER_LIBRARY=$build/lib/libcppgen_onnxruntime.so
export CPPGEN_CACHE_DIR PROVIDER_LIBRARY PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
exec "$python" tests/python/packages/compare.py "$@"
