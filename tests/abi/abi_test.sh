#!/bin/sh
# The library's interface does not change for programs that exist: a client of the first header runs, and abidiff finds
# nothing but additions to the stored description of the interface.
#
#   abi_test.sh SOURCE_DIR LIBRARY_DIR API_LIBRARY MAKE_TEST_PACKAGE [--update]
#
# API_LIBRARY: the C API with debug information. --update stores the description anew: for a new minor version, or after
# additions.
set -eu
source=$1 libraries=$2 api=$3 make_package=$4
stored=$source/tests/abi/interface.abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$make_package" "$work/package"
cc -std=c99 -Wall -Wextra -Werror -I"$source/tests/abi/first" "$source/tests/abi/client.c" -L"$libraries" -lcppgen_runtime \
  -Wl,-rpath,"$libraries" -o "$work/client"
[ "$("$work/client" "$work/package")" = done ]

soname=$(readelf -d "$libraries/libcppgen_runtime.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
version=$(sed -n 's/^project(cppgen VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$source/CMakeLists.txt")
[ "$soname" = "libcppgen_runtime.so.$version" ] || { echo "the SONAME is $soname" >&2; exit 1; }

if ! command -v abidw > /dev/null; then
  echo "abidw is missing: the interface is not compared with its description (package abigail-tools)"
  [ "${CI:-}" != true ] || exit 1
  exit 0
fi
describe="abidw --no-corpus-path --no-comp-dir-path --no-show-locs --headers-dir $source/runtime/session --drop-private-types"
if [ "${5:-}" = --update ]; then
  $describe --out-file "$stored" "$api"
  exit 0
fi
abidiff --no-added-syms --no-show-locs --headers-dir2 "$source/runtime/session" --drop-private-types "$stored" "$api" ||
  { echo "the interface of existing programs has changed: see docs/versions.md" >&2; exit 1; }
# The comparison finds what it must find.
if abidiff --no-added-syms "$stored" "$libraries/libcppgen_onednn-$version.so" > "$work/other.log" 2>&1; then
  echo "abidiff finds no difference to another library" >&2
  exit 1
fi
echo "done"
