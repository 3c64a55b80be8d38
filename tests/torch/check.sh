#!/bin/sh
# A long check, which continuous integration does not run: torch.compile(backend="cppgen") with PyTorch, torchvision and
# transformers of PyPI, in a virtual environment.
#
#   tests/torch/check.sh [BUILD_DIR [pytest's arguments...]]
#
# BUILD_DIR (build/release) has the built Python package. The environment is BUILD_DIR/torch_environment, which stays, so
# that a second check downloads nothing. It needs a network and 10 GB: PyPI's PyTorch for x86-64 comes with CUDA.
#
# Environment:
#   PYTHON         default: python3
#   TORCH_INDEX    another index for PyTorch, such as https://download.pytorch.org/whl/cpu, whose packages are small
#   TORCH_VERSION  default: the newest
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ $# -eq 0 ] || shift
environment=$build/torch_environment
python=$environment/bin/python

[ -f "$build/python/cppgen/_cppgen.abi3.so" ] || { echo "build the target cppgen_python in $build first" >&2; exit 2; }
if ! "$python" -c 'import torch, torchvision, transformers' 2> /dev/null; then
  "${PYTHON:-python3}" -m venv "$environment"
  "$python" -m pip install -q numpy onnx pytest
  "$python" -m pip install -q ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} \
    "torch${TORCH_VERSION:+==$TORCH_VERSION}" torchvision
  "$python" -m pip install -q transformers
fi
CPPGEN_CACHE_DIR=${CPPGEN_CACHE_DIR:-$build/torch_cache}
mkdir -p "$CPPGEN_CACHE_DIR"
CPPGEN_CACHE_DIR=$(cd "$CPPGEN_CACHE_DIR" && pwd)
export CPPGEN_CACHE_DIR
exec tests/torch/run_tests.sh "$PWD" "$(cd "$build" && pwd)/python" "$python" "$@"
