#!/bin/sh
# Installs the runtime into an empty prefix and builds and runs the examples against it alone, found by CMake and by
# pkg-config. Usage: install_test.sh SOURCE_DIR BUILD_DIR MAKE_TEST_PACKAGE PYTHON
set -eu
source=$1 build=$2 make_package=$3 python=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for component in runtime onednn development; do
  cmake --install "$build" --prefix "$work/prefix" --component $component >> "$work/install.log"
done
mv "$work/prefix" "$work/moved"  # nothing may depend on where it was installed
prefix=$work/moved
"$make_package" "$work/package"

expect() {  # expect TEXT COMMAND...
  text=$1
  shift
  found=$("$@")
  case $found in
    *"$text"*) ;;
    *) echo "expected '$text' from $*, found: $found" >&2; exit 1 ;;
  esac
}

cmake -S "$source/examples/cpp_api" -B "$work/cpp" -DCMAKE_PREFIX_PATH="$prefix" > "$work/cmake.log"
cmake --build "$work/cpp" > "$work/cmake_build.log"
expect 'y [3, 4]' "$work/cpp/run_model" "$work/package" 3

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cppgen-runtime.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs cppgen-runtime)
library=$(pkg-config --variable=libdir cppgen-runtime)
cc -std=c99 -Wall -Wextra -Werror "$source/examples/c_api/main.c" $flags -Wl,-rpath,"$library" -o "$work/c_model"
expect 'y [2, 4]: 4 ...' "$work/c_model" "$work/package" 2

# An application that gives memory, threads and files, and one with values of any kind.
cc -std=c99 -pthread -Wall -Wextra -Werror "$source/examples/embedding/main.c" $flags -Wl,-rpath,"$library" \
  -o "$work/embedding"
expect 'y [3, 4]
the run was cancelled' "$work/embedding" "$work/package" 3
expect ' 0 still held; threads helped' "$work/embedding" "$work/package" 3
c++ -std=c++17 -Wall -Wextra -Werror "$source/examples/values/main.cpp" $flags -Wl,-rpath,"$library" -o "$work/values"
"$python" - "$work/values.onnx" "$work/product.onnx" << 'END'
import sys
import onnx
from onnx import TensorProto, helper
words = helper.make_tensor_value_info("words", TensorProto.STRING, ["M"])
scores = onnx.ValueInfoProto(name="scores")
scores.type.map_type.key_type = TensorProto.STRING
scores.type.map_type.value_type.tensor_type.elem_type = TensorProto.FLOAT
parts = helper.make_tensor_sequence_value_info("parts", TensorProto.FLOAT, None)
nodes = [helper.make_node("ConcatFromSequence", ["parts"], ["all"], axis=0),
         helper.make_node("SequenceInsert", ["parts", "all"], ["more"]),
         helper.make_node("Identity", ["words"], ["same"]),
         helper.make_node("DictVectorizer", ["scores"], ["row"], domain="ai.onnx.ml", string_vocabulary=["b", "z", "a"])]
outputs = [helper.make_tensor_sequence_value_info("more", TensorProto.FLOAT, None),
           helper.make_tensor_value_info("same", TensorProto.STRING, ["M"]),
           helper.make_tensor_value_info("row", TensorProto.FLOAT, None)]
graph = helper.make_graph(nodes, "values", [parts, words, scores], outputs)
x, y, w = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in "xyw")
product = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "product", [x, w], [y])
onnx.save(helper.make_model(product, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[2])
imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 1)]
onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), sys.argv[1])
END
CPPGEN_CACHE_DIR=$work/cache "$build/bin/cppgen" compile "$work/values.onnx" -o "$work/values.package" > "$work/compile.log"
expect 'more: [1, 2, 3] [1, 2, 3] [1, 2, 3, 1, 2, 3]
same: [a, b, c]
row: [2, 0, 1]' "$work/values" "$work/values.package"
! grep -rlE 'fmt|spdlog' "$prefix/include" "$prefix/lib"*/*/cmake "$prefix/lib"*/*/pkgconfig "$prefix/lib"*/cmake 2> /dev/null

# The snippets of the documents, as pasted. Those of programs run on the package, whose input is x [N, 4].
mkdir "$work/snippets"
python3 "$source/tests/docs/snippets.py" extract "$source" "$work/snippets"
cp -r "$work/package" "$work/snippets/model.package"
programs=0
for snippet in "$work"/snippets/*.c "$work"/snippets/*.cpp; do
  ! grep -q cppgen_compiler "$snippet" || continue  # tests/library/install_test.sh
  compiler="cc -std=c99" kind="-shared -fPIC"
  case $snippet in *.cpp) compiler="c++ -std=c++17" ;; esac
  ! grep -q '^int main(' "$snippet" || kind=
  $compiler -Wall -Wextra -Werror $kind "$snippet" $flags -Wl,-rpath,"$library" -o "$snippet.out"
  [ -z "$kind" ] || continue
  (cd "$work/snippets" && "$snippet.out") > "$snippet.log"
  programs=$((programs + 1))
done
[ "$programs" -ge 2 ]
expect '8 elements, the last is 24' cat "$work"/snippets/README_*.cpp.log
expect '4 24' cat "$work"/snippets/README_*.c.log

for standard in 17 20; do
  for header in $(cd "$prefix/include/cppgen" && find . -type f); do
    echo "#include \"$header\"" | c++ -std=c++$standard -Wall -Wextra -Werror -fsyntax-only -x c++ - $flags ||
      { echo "$header" >&2; exit 1; }
  done
done

# The library exports its own names alone, needs only what it says, and is small.
runtime=$library/libcppgen_runtime.so
foreign=$(nm -D --defined-only "$runtime" | awk '{ print $3 }' | grep -v '^cppgen_' || true)
[ -z "$foreign" ] || { echo "foreign names: $foreign" >&2; exit 1; }
needed=$(readelf -d "$runtime" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
         grep -vE '^(lib(c|m|stdc\+\+|gcc_s|tbb|hwloc|pthread|dl|rt)|ld-linux-x86-64)\.so' || true)
[ -z "$needed" ] || { echo "it needs $needed" >&2; exit 1; }
strip -o "$work/stripped.so" "$runtime"
[ "$(wc -c < "$work/stripped.so")" -le 3000000 ] || { ls -l "$work/stripped.so" >&2; exit 1; }

run=$prefix/bin/cppgen-run
expect '"median_ms"' "$run" "$work/package" --dim N=5 --json --output "$work/out"
test -f "$work/out/in_0.npy" && test -f "$work/out/out_0.npy"
# A package that needs a plugin, which must be one of those that were installed.
CPPGEN_CACHE_DIR=$work/cache "$build/bin/cppgen" compile "$work/product.onnx" -o "$work/product.package" \
  --set MAX_AUTOTUNE_GEMM_BACKENDS=ONEDNN > "$work/compile.log"
grep -q onednn "$work/product.package/plan.json"
expect '"median_ms"' "$run" "$work/product.package" --json
code() {  # code EXPECTED COMMAND...
  expected=$1
  shift
  status=0
  "$@" > "$work/output.log" 2>&1 || status=$?
  test $status = "$expected" || { echo "exit code $status, expected $expected, from $*" >&2; cat "$work/output.log"; exit 1; }
}
code 0 "$run" --help
code 2 "$run" "$work/package"            # N is missing
code 2 "$run" "$work/nothing"
touch "$work/m.onnx"
code 2 "$run" "$work/m.onnx"
grep -qF "cppgen compile $work/m.onnx -o m.package" "$work/output.log"
code 2 "$run" "$work/package" --dim N=5 --frobnicate
code 2 "$run" "$work/package" --dim N=5 --threads many
code 2 env CPPGEN_THREADS=0 "$run" "$work/package" --dim N=5
# What it wrote is what it computes again, from its own folder or from a file; with outputs as inputs it is not.
code 0 "$run" "$work/package" --verify "$work/out" --rtol 0 --runs 3
code 0 "$run" "$work/package" --input "x=$work/out/in_0.npy" --output "$work/again" --threads 1
cmp "$work/out/out_0.npy" "$work/again/out_0.npy"
cp "$work/out/out_0.npy" "$work/out/in_0.npy"
code 1 "$run" "$work/package" --verify "$work/out"
code 0 "$run" "$work/package" --verify "$work/out" --atol 1e9
echo "done"
