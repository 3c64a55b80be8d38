#!/bin/sh
# Builds a benchmark and runs it: bench/run.sh PROGRAM [OPTION...]
#   bench/run.sh contractions
#   bench/run.sh models --models DIR --onnxruntime DIR
# The table goes to stdout and, with JSON and SVG of the programs that write them, to build/bench.
set -eu
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
program=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/release
results=$root/build/bench
[ -f "$build/build.ninja" ] || cmake -S "$root" --preset release > /dev/null
cmake --build "$build" --target "bench_$program" > /dev/null
mkdir -p "$results"
case $program in
  contractions | models) set -- --json "$results/$program.json" --svg "$results/$program.svg" "$@" ;;
  memory_bound) set -- --json "$results/$program.json" "$@" ;;
esac
status=0
"$build/bin/bench_$program" "$@" > "$results/$program.txt" || status=$?
cat "$results/$program.txt"
exit "$status"
