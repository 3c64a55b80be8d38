#!/bin/sh
# The libraries' interfaces do not change for programs that exist: a client of the first header runs, and abidiff finds
# nothing but additions to the stored descriptions of the interfaces.
#
#   abi_test.sh SOURCE_DIR LIBRARY_DIR MAKE_TEST_PACKAGE PYTHON [--update]
#
# --update stores the descriptions anew: for a new minor version, or after additions.
set -eu
source=$1 libraries=$2 make_package=$3 python=$4 update=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$make_package" "$work/package"
cc -std=c99 -Wall -Wextra -Werror -I"$source/tests/abi/first" "$source/tests/abi/client.c" -L"$libraries" -lcppgen_runtime \
  -Wl,-rpath,"$libraries" -o "$work/client"
[ "$("$work/client" "$work/package")" = done ]

version=$(sed -n 's/^project(cppgen VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$source/CMakeLists.txt")
names() { nm -D --defined-only "$1" | awk '$3 ~ /^cppgen_/ { print $3 }' | sort; }

# check LIBRARY HEADER STORED [NAME...]: the library NAME.so exports the header's functions, and these of programs that
# were not written by people, and nothing else; its interface is that of the stored description, with additions.
check() {
  library=$libraries/$1.so header=$source/$2 stored=$source/tests/abi/$3
  soname=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
  [ "$soname" = "$1.so.$version" ] || { echo "the SONAME is $soname" >&2; exit 1; }
  # A library with the header's functions, which do nothing: its debug information is the interface without what is
  # behind it.
  "$python" - "$header" > "$work/interface.c" << 'END'
import os
import re
import sys
text = re.sub(r"/\*.*?\*/", "", open(sys.argv[1]).read(), flags=re.S)
print(f'#include "{os.path.basename(sys.argv[1])}"')
for declaration in re.findall(r"^((?:const )?\w+[ *]+cppgen_\w+\([^;{}]*\)); *$", text, flags=re.M):
    if not declaration.startswith("typedef"):
        print(declaration, "{ __builtin_trap(); }")
END
  cc -std=c99 -g -shared -fPIC -Wno-unused-parameter -I"$source/runtime/session" -I"$(dirname "$header")" \
    "$work/interface.c" -o "$work/interface.so"
  shift 3
  { names "$work/interface.so"; printf '%s\n' "$@"; } | sed '/^$/d' | sort > "$work/expected"
  names "$library" > "$work/exported"
  diff "$work/expected" "$work/exported"
  command -v abidw > /dev/null || return 0
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --out-file "$work/interface.abi" "$work/interface.so"
  if [ "$update" = --update ]; then
    cp "$work/interface.abi" "$stored"
  else
    abidiff --no-added-syms --no-show-locs "$stored" "$work/interface.abi" ||
      { echo "the interface of existing programs has changed: see docs/versions.md" >&2; exit 1; }
  fi
}

command -v abidw > /dev/null || {
  echo "abidw is missing: the interfaces are not compared with their descriptions (package abigail-tools)"
  [ "${CI:-}" != true ] || exit 1
}
check libcppgen cppgen/library/cppgen_compiler.h compiler.abi
check libcppgen_runtime runtime/session/cppgen.h interface.abi cppgen_options_init cppgen_runtime_of_isa
if ! command -v abidw > /dev/null || [ "$update" = --update ]; then exit 0; fi

# The comparison finds what it must find.
sed "s/CPPGEN_STRING' value='1000'/CPPGEN_STRING' value='23'/" "$stored" > "$work/changed.abi"
if abidiff --no-added-syms "$stored" "$work/changed.abi" > "$work/changed.log" 2>&1; then
  echo "abidiff does not find that the number of an enumerator has changed" >&2
  exit 1
fi
echo "done"
