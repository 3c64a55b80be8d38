#!/bin/sh
# Prints which objects of a build took longest to compile, and the sum of all.
#
#   cmake/slowest_units.sh BUILD_DIR [COUNT]        also: cmake --build --preset release --target cppgen_slowest_units
#
# Times are those of the last compilation of each, on the clock: build with -j 1 on a quiet machine for CPU time.
set -eu
log=$1/.ninja_log
[ -f "$log" ] || { echo "$log does not exist: build with Ninja first" >&2; exit 2; }
awk '$4 ~ /\.(o|gch)$/ { ms[$4] = $2 - $1 }
     END { for (unit in ms) { printf "%8.2f s  %s\n", ms[unit] / 1000, unit; total += ms[unit] }
           printf "%8.2f s  all\n", total / 1000 }' "$log" | sort -rn | head -n "$((${2:-30} + 1))"
