#!/bin/sh
# Runs the checks of .clang-tidy over C++ sources of a configured and built tree; fails if they find anything.
#
#   tests/tidy.sh [-p BUILD] [-j JOBS] [PATH...]
#
#   -p BUILD  folder with compile_commands.json, default build/release
#   -j JOBS   files at once; default: the number of CPUs
#   PATH      files or folders; default: all rooms (about 8 minutes of one core)
set -u
cd "$(dirname "$0")/.." || exit 2
build=build/release
jobs=$(nproc)
while getopts p:j: option; do
  case $option in
    p) build=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ "$#" -gt 0 ] || set -- cppgen isa runtime
[ -f "$build/compile_commands.json" ] || { echo "$build/compile_commands.json does not exist: run cmake" >&2; exit 2; }

# clang does not read g++'s precompiled headers, so this also checks that sources include what they use.
mkdir -p "$build/tidy"
sed -E 's/ -Winvalid-pch -include [^ ]+cmake_pch\.hxx//g' "$build/compile_commands.json" > "$build/tidy/compile_commands.json"

# Sources over vec/ are written in g++'s vector builtins, which clang does not have; so is split_vec.h.
sources=$(find "$@" -name '*.cpp' -exec grep -LE '^#include "(vec/|runtime/contraction/split_vec)|__builtin_ia32' {} +)
echo "clang-tidy over $(echo "$sources" | wc -l) files"
echo "$sources" | xargs -r -P "$jobs" -n 4 clang-tidy --quiet -p "$build/tidy" > "$build/tidy.log" 2>&1
status=$?
grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' "$build/tidy.log"
[ "$status" -eq 0 ] && echo "nothing found"
exit "$status"
