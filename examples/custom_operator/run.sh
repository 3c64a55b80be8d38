#!/bin/sh
# A model with operators of its own: one is described in cppgen's language, one is a C function.
# usage: run.sh CPPGEN FOLDER_OF_cppgen_custom.h    (needs python3 with onnx, and a C compiler)
set -eu
cppgen=$1 headers=$2 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CPPGEN_CACHE_DIR="$work/cache"

python=python3
"$python" -c "import onnx" 2> /dev/null || python=/usr/bin/python3
"$python" "$here/make_model.py" "$work/model.onnx"
cp "$here/swish.json" "$here/sort_rows.json" "$work"
"${CC:-cc}" -O2 -shared -fPIC -I "$headers" "$here/sort_rows.c" -o "$work/libsort_rows.so"

export CPPGEN_CUSTOM_OPS="$work/swish.json:$work/sort_rows.json"
"$cppgen" run "$work/model.onnx" --reference --dim rows=3 --seed 1 --output "$work/expected"
"$cppgen" verify "$work/model.onnx" "$work/expected"
"$cppgen" compile "$work/model.onnx" -o "$work/package"
"$cppgen" verify "$work/package" "$work/expected"
