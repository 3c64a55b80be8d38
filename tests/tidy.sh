#!/bin/sh
# Runs the checks of .clang-tidy over C++ sources; fails if they find anything. Nothing has to be built before.
#
#   tests/tidy.sh [-j JOBS] [PATH...]
#
#   -j JOBS   files at once; default: the number of CPUs
#   PATH      files or folders; default: all rooms (about 8 minutes of one core)
set -u
cd "$(dirname "$0")/.." || exit 2
build=build/tidy
jobs=$(nproc)
while getopts j: option; do
  case $option in
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- cppgen isa runtime

# A configuration of its own, because clang reads neither groups of sources nor g++'s precompiled headers. So this also
# checks that each source includes what it uses.
mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCPPGEN_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCPPGEN_TESTS=OFF -DCPPGEN_BENCH=OFF > "$build.log" 2>&1 || { cat "$build.log"; exit 2; }

# Sources over vec/ are written in g++'s vector builtins, which clang does not have; so is split_vec.h. Nor does it have
# g++'s header of OpenMP.
sources=$(find "$@" -name '*.cpp' -exec grep -LE \
  '^#include ("(vec/|runtime/contraction/split_vec)|<omp\.h>)|__builtin_ia32' {} +)
echo "clang-tidy over $(echo "$sources" | wc -l) files"
echo "$sources" | xargs -r -P "$jobs" -n 4 clang-tidy --quiet -p "$build" > "$build.log" 2>&1
status=$?
grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' "$build.log"
[ "$status" -eq 0 ] && echo "nothing found"
exit "$status"
