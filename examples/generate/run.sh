#!/bin/sh
# Compiles a small decoder over bytes with and without states and generates bytes with both.
# usage: run.sh CPPGEN GENERATE [COUNT]    (GENERATE: what main.cpp becomes; needs python3 with onnx)
set -eu
cppgen=$1 generate=$2 count=${3:-300} here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CPPGEN_CACHE_DIR="$work/cache"

python=python3
"$python" -c "import onnx" 2> /dev/null || python=/usr/bin/python3
"$python" "$here/make_model.py" "$work/bytes.onnx"
states=
for layer in 0 1 2 3; do
  states="$states --state present_k$layer=past_k$layer:1024 --state present_v$layer=past_v$layer:1024"
done
"$cppgen" compile "$work/bytes.onnx" $states -o "$work/with_states"
"$cppgen" compile "$work/bytes.onnx" -o "$work/without_states"
"$generate" "$work/with_states" "$work/without_states" "Once upon a time" "$count"
