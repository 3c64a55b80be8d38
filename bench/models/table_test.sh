#!/bin/sh
# The table of bench_models has a column for each library of a Python environment, and says which are missing.
# Usage: table_test.sh BENCH_MODELS MODELS PYTHON; exit status 77: PYTHON has no ONNX Runtime.
set -eu
bench=$1 models=$2 python=$3
if ! "$python" -c 'import onnxruntime' 2> /dev/null; then
  echo "skipped: there is no onnxruntime in build/python; tests/make_python.sh installs it"
  case ${CI:-} in true | 1 | yes) exit 1 ;; esac
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bench" --models "$models" --threads 2 --alternations 1 --runs 1 --int8 none --peers cppgen onnxruntime OpenVINO \
  --python "$python" --markdown "$work/table.md" > "$work/log" 2> "$work/missing" || { cat "$work/log" "$work/missing"; exit 1; }
cat "$work/table.md"
grep -q '^| milliseconds (times cppgen.s) | cppgen | onnxruntime ' "$work/table.md"
grep -qE '^\| residual_network, 2 threads \| [0-9.]+ \| [0-9.]+ \([0-9.]+\) ' "$work/table.md"
grep -qE '^\| geometric mean \|  \| \([0-9.]+\) ' "$work/table.md"
grep -q 'onnxruntime [0-9]' "$work/table.md"
"$python" -c 'import openvino' 2> /dev/null || grep -q '^OpenVINO is left out: .* -m pip install numpy openvino' "$work/missing"
