#!/bin/sh
# The library's interface does not change for programs that exist: a client of the first header runs, and abidiff finds
# nothing but additions to the stored description of the interface.
#
#   abi_test.sh SOURCE_DIR LIBRARY_DIR MAKE_TEST_PACKAGE PYTHON [--update]
#
# --update stores the description anew: for a new minor version, or after additions.
set -eu
source=$1 libraries=$2 make_package=$3 python=$4
stored=$source/tests/abi/interface.abi
runtime=$libraries/libcppgen_runtime.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$make_package" "$work/package"
cc -std=c99 -Wall -Wextra -Werror -I"$source/tests/abi/first" "$source/tests/abi/client.c" -L"$libraries" -lcppgen_runtime \
  -Wl,-rpath,"$libraries" -o "$work/client"
[ "$("$work/client" "$work/package")" = done ]

soname=$(readelf -d "$runtime" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
version=$(sed -n 's/^project(cppgen VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$source/CMakeLists.txt")
[ "$soname" = "libcppgen_runtime.so.$version" ] || { echo "the SONAME is $soname" >&2; exit 1; }

# A library with the header's functions, which do nothing: its debug information is the interface without what is behind
# it. The runtime has all of them, and two functions for programs that were not written by people.
"$python" - "$source/runtime/session/cppgen.h" > "$work/interface.c" << 'END'
import re
import sys
text = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
print('#include <cppgen.h>')
for declaration in re.findall(r"^((?:const )?\w+[ *]+cppgen_\w+\([^;{}]*\)); *$", text, flags=re.M):
    print(declaration, "{ __builtin_trap(); }")
END
cc -std=c99 -g -shared -fPIC -Wno-unused-parameter -I"$source/runtime/session" "$work/interface.c" -o "$work/interface.so"
names() { nm -D --defined-only "$1" | awk '$3 ~ /^cppgen_/ { print $3 }' | sort; }
names "$work/interface.so" > "$work/declared"
{ cat "$work/declared"; echo cppgen_options_init; echo cppgen_runtime_of_isa; } | sort > "$work/expected"
names "$runtime" > "$work/exported"
diff "$work/expected" "$work/exported"

if ! command -v abidw > /dev/null; then
  echo "abidw is missing: the interface is not compared with its description (package abigail-tools)"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi
abidw --no-corpus-path --no-comp-dir-path --no-show-locs --out-file "$work/interface.abi" "$work/interface.so"
if [ "${5:-}" = --update ]; then
  cp "$work/interface.abi" "$stored"
  exit 0
fi
abidiff --no-added-syms --no-show-locs "$stored" "$work/interface.abi" ||
  { echo "the interface of existing programs has changed: see docs/versions.md" >&2; exit 1; }
# The comparison finds what it must find.
sed "s/CPPGEN_STRING' value='1000'/CPPGEN_STRING' value='23'/" "$stored" > "$work/changed.abi"
if abidiff --no-added-syms "$stored" "$work/changed.abi" > "$work/changed.log" 2>&1; then
  echo "abidiff does not find that the number of an enumerator has changed" >&2
  exit 1
fi
echo "done"
