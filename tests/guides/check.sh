#!/bin/sh
# A long check, which continuous integration does not run: the code of all guides (docs/guides), with Dask, Ray, MLServer,
# ONNX Runtime, OpenVINO and PyTorch of PyPI, in virtual environments.
#
#   tests/guides/check.sh [BUILD_DIR [pytest's arguments...]]
#
# BUILD_DIR (build/release) has everything built. The environments are BUILD_DIR/guides_environment_*, and that of
# tests/torch/check.sh; they stay, so that a second check downloads nothing. It needs curl, a network and 12 GB.
#
# Environment:
#   PYTHON       default: /usr/bin/python3
#   TORCH_INDEX  another index for PyTorch, such as https://download.pytorch.org/whl/cpu, whose packages are small
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ $# -eq 0 ] || shift
[ -f "$build/python/cppgen/_cppgen.abi3.so" ] || { echo "build $build first" >&2; exit 2; }
build=$(cd "$build" && pwd)
CPPGEN_CACHE_DIR=${CPPGEN_CACHE_DIR:-$build/guides_cache}
export CPPGEN_CACHE_DIR
unset PREFERRED_PYTHON

installed() {  # installed ENVIRONMENT MODULE...
  environment=$1
  shift
  for module in "$@"; do
    "$environment/bin/python" -c "import $module" > /dev/null 2>&1 || return 1
  done
}

make_environment() {  # make_environment FOLDER MODULES PIP-ARGUMENT...
  folder=$1 modules=$2
  shift 2
  # shellcheck disable=SC2086  # a list of words
  installed "$folder" numpy onnx pytest $modules && return 0
  "${PYTHON:-/usr/bin/python3}" -m venv "$folder"
  "$folder/bin/python" -m pip install -q numpy onnx pytest
  "$folder/bin/python" -m pip install -q "$@"
}

run() {  # run FOLDER PYTEST-ARGUMENT...
  folder=$1
  shift
  printf '\n== %s\n' "$folder"
  tests/guides/run_tests.sh "$PWD" "$build" "$folder/bin/python" "$@"
  cat "$build/guides_left_out.txt" 2> /dev/null || true
}

# The three need different versions of some packages.
main=$build/guides_environment_main server=$build/guides_environment_mlserver torch=$build/torch_environment
make_environment "$main" "ray.serve ray.data distributed openvino onnxruntime" "ray[serve,data]" dask distributed openvino onnxruntime
make_environment "$server" mlserver "mlserver>=1.6"
make_environment "$torch" "torch torchvision" ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} torch torchvision
run "$main" "$@"
run "$server" -k "mlserver or serving" "$@"
run "$torch" -k torch "$@"
