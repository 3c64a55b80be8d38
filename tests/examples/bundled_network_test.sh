#!/bin/sh
# The network of the quick start from end to end: the compiled answer is the interpreter's, also as a package where no
# compiler is; and the comparison would notice if it were not.
# Usage: bundled_network_test.sh CPPGEN CPPGEN_RUN MAKE_NETWORK
set -eu
cppgen=$1 cppgen_run=$2 make_network=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CPPGEN_CACHE_DIR=$work/cache
export CPPGEN_CACHE_DIR
fail() { echo "$*" >&2; exit 1; }

"$make_network" "$work"
"$make_network" "$work/again" > /dev/null
cmp "$work/residual_network.onnx" "$work/again/residual_network.onnx"
cmp "$work/residual_network.weights" "$work/again/residual_network.weights"
"$make_network" "$work/other" 2 > /dev/null
! cmp -s "$work/residual_network.weights" "$work/other/residual_network.weights" || fail "the seed changes nothing"

model=$work/residual_network.onnx
"$cppgen" run "$model" --reference --seed 1 --output "$work/expected"
"$cppgen" compile "$model" -o "$work/package"
"$cppgen" verify "$work/package" "$work/expected"
env PATH=/nonexistent "$cppgen_run" "$work/package" --verify "$work/expected"

# Other weights, other answers.
status=0
"$cppgen" verify "$work/other/residual_network.onnx" "$work/expected" > "$work/log" 2>&1 || status=$?
[ "$status" -eq 1 ] || { cat "$work/log"; fail "other weights: exit status $status, expected 1"; }
