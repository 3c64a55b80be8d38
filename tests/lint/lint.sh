#!/bin/sh
# Checks that no compiler makes: who includes whom, unfinished work, places of one machine, formatting, links between
# documents. Usage: lint.sh SOURCE_DIR. Prints each finding and fails if there is one.
set -u
cd "$1" || exit 2
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT

# The files of the project: what git tracks, or everything that a source archive holds.
tracked=$(git ls-files -- CMakeLists.txt 2> /dev/null)
files() {
  if [ -n "$tracked" ]; then
    git ls-files -- "$@"
  else
    find "$@" -type f ! -path './build/*' 2> /dev/null
  fi
}

report() {  # report TITLE, the findings on stdin
  found=$(cat)
  [ -z "$found" ] || printf '%s\n%s\n\n' "$1" "$found" >> "$findings"
}

search() {  # search EXPRESSION: matching lines of the text files named on stdin; tracked files may be gone
  xargs -r grep -snHIE "$1"
}

includes() {  # includes PATTERN PATH...: lines of C++ sources that include what matches
  pattern=$1
  shift
  files "$@" | grep -E '\.(h|cpp|c|def)$' | search "^ *# *include *$pattern"
}

# ---- who may include whom (docs/architecture.md); structure.py knows which rooms depend on which ----
includes '"(cppgen|tests|bench|examples)/' vec isa runtime | report "vec, isa and runtime know nothing of the compiler:"
includes '"(cppgen|runtime|isa|tests|bench)/' vec | report "vec includes nothing but itself:"
includes '"(cppgen|runtime|vec)/' isa | grep -v '"runtime/base/' | report "isa includes runtime/base at most:"
includes '.' runtime/abi | report "runtime/abi includes nothing (runtime/abi/math_functions.def is included by others):"
includes '<' vec | grep -v "^vec/[a-z0-9]*/clang.h:" | # clang alone reads these
  report "Kernels pay for every header: vec includes no library header:"
includes '"runtime/' runtime/base | grep -v '"runtime/base/' | report "runtime/base includes no other room:"

includes '"runtime/' cppgen/support cppgen/ir cppgen/graph cppgen/text cppgen/import cppgen/passes cppgen/compile |
  grep -v '"runtime/base/' | report "These compiler rooms know of the runtime only runtime/base:"
includes '"runtime/' cppgen/ops cppgen/partition | grep -vE '"runtime/(base|plan|plugins)/' |
  report "ops and partition know of the runtime only base, plan and plugins:"
includes '"runtime/' cppgen/schedule cppgen/kernel cppgen/codegen cppgen/forms | grep -vE '"runtime/(base|abi|plan|contraction|plugins)/' |
  report "schedule, kernel, codegen and forms know of the runtime only base, abi, plan, contraction and plugins:"
includes '"tests/' cppgen runtime isa vec bench examples | report "Only tests include tests:"

# Headers that make every file that includes them slow to compile.
includes '<(nlohmann/json\.hpp|spdlog/|onnx/|CLI/)' cppgen runtime isa | grep -E '^[^:]*\.h:' |
  grep -vE '^(cppgen/import/|runtime/plan/json_field.h)' | report "Heavy headers belong into .cpp files:"

# ---- unfinished work, places of one machine ----
# The brackets keep these lines from finding themselves.
words='TO[D]O|FIX[M]E|(^|[^X])XX[X]($|[^X])|not implemen[t]ed|(^|[^A-Z_])DISABLE[D]_'
places='(^|[^A-Za-z0-9_.])/(hom[e]|wor[k]|Users|mnt|root)/[A-Za-z]'
files . | search "$words" | report "Words that say unfinished:"
files . | grep -vE '^(\./)?tests/' | search "$places" | report "Paths of one machine:"

# ---- emitted kernels ----
# Loops, conditions and functions of kernels are statements (cppgen/codegen/statements.h) with a writer of their own.
files cppgen/codegen cppgen/forms | grep -vE '/(statements|code)\.(h|cpp)$' |
  search '(open|line|text|plain|code)\("(.*(for|if) \(|.*CPPGEN_LAMBDA|[^"]*\{\{ |else|\})' |
  report "Blocks of kernels that are written as text:"

# ---- files that people cannot hold in mind ----
files . | grep -E '\.(h|cpp|c|sh)$' | while read -r file; do
  [ ! -f "$file" ] || { lines=$(wc -l < "$file") && [ "$lines" -gt 500 ] && echo "$file: $lines lines"; }
done | report "Files over 500 lines; split by meaning:"

# ---- formatting ----
# Other versions of clang-format than Debian 12's format a few things differently.
formatter_version=$(clang-format --version 2> /dev/null | sed -nE 's/.*version ([0-9]+).*/\1/p')
if [ "$formatter_version" = 14 ]; then
  files . | grep -E '\.(h|cpp|c)$' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
    xargs clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | cut -d: -f1,2 |
    report "Not formatted; clang-format -i FILE does it:"
else
  problem="formatting is not checked: that takes clang-format 14, and ${formatter_version:-none} is installed"
  case ${CI:-} in
    true | 1 | yes) echo "$problem" | report "In continuous integration nothing may be left out:" ;;
    *) echo "$problem" ;;
  esac
fi

# ---- documents ----
files . | grep -E '\.md$' | while read -r page; do
  [ -f "$page" ] || continue
  grep -oE '\]\([^)#:]+[)#]' "$page" | sed -E 's/^\]\(//; s/[)#]$//' | while read -r target; do
    [ -e "$(dirname "$page")/$target" ] || echo "$page: no such file: $target"
  done
done | report "Links between documents:"
files . | grep -E '(\.sh|^(\./)?\.ci/run)$' | while read -r script; do
  [ ! -f "$script" ] || sh -n "$script" 2>&1
done | report "Scripts that do not parse:"

if [ -s "$findings" ]; then
  cat "$findings"
  exit 1
fi
echo "nothing found in $(files . | wc -l) files"
