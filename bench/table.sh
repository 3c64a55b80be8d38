#!/bin/sh
# The table of the README: networks on cppgen, ONNX Runtime, OpenVINO and TorchInductor, with two threads. Builds what it
# needs, and leaves build/bench/table.md and table.json. Nothing else should run on the machine meanwhile.
#
#   bench/table.sh PYTHON [OPTION...]
#
# PYTHON is an interpreter; columns are what its environment has of the packages onnxruntime, openvino, and torch with
# onnx2torch. Options are those of bench_models: --models DIR (default: build/models), --threads N (2), --filter resnet50.
set -eu
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
python=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/release results=$root/build/bench
[ -f "$build/build.ninja" ] || cmake -S "$root" --preset release > /dev/null
cmake --build "$build" --target bench_models > /dev/null
mkdir -p "$results"
models=$root/build/models threads=2
for option in "$@"; do
  case $option in
    --models) models= ;;
    --threads) threads= ;;
  esac
done
status=0
"$build/bin/bench_models" ${models:+--models "$models"} ${threads:+--threads "$threads"} --int8 none --python "$python" \
  --peers cppgen onnxruntime OpenVINO TorchInductor --markdown "$results/table.md" --json "$results/table.json" "$@" >&2 ||
  status=$?
[ "$status" -gt 1 ] || cat "$results/table.md"
exit "$status"
