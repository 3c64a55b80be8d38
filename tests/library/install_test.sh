#!/bin/sh
# Installs everything into an empty prefix, which is then moved, and builds projects that compile models: against the
# installation, by CMake and by pkg-config, and with cppgen as a part of the project.
# Usage: install_test.sh SOURCE_DIR BUILD_DIR PYTHON
set -eu
source=$1 build=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CPPGEN_CACHE_DIR=$work/cache
export CPPGEN_CACHE_DIR
cmake --install "$build" --prefix "$work/prefix" > "$work/install.log"
mv "$work/prefix" "$work/moved"  # nothing may depend on where it was installed
prefix=$work/moved

make_model() {  # make_model FACTOR: y = FACTOR * x, with x [N, 4]; the factor is external data
  "$python" - "$work/a model.onnx" "$1" << 'END'
import sys
import numpy
import onnx
from onnx import TensorProto, helper
numpy.array([float(sys.argv[2])], numpy.float32).tofile(sys.argv[1].rsplit("/", 1)[0] + "/factor.bin")
factor = TensorProto(name="factor", data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
factor.external_data.add(key="location", value="factor.bin")
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4])
graph = helper.make_graph([helper.make_node("Mul", ["x", "factor"], ["y"])], "scale", [x], [y], [factor])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
open(sys.argv[1], "wb").write(model.SerializeToString())
END
}

expect() {  # expect TEXT COMMAND...
  text=$1
  shift
  found=$("$@")
  case $found in
    *"$text"*) ;;
    *) echo "expected '$text' from $*, found: $found" >&2; exit 1 ;;
  esac
}

logged() {  # logged COMMAND...: its output only if it fails
  "$@" > "$work/command.log" 2>&1 || { tail -n 40 "$work/command.log" >&2; exit 1; }
}

make_model 2
logged cmake -S "$source/examples/compile" -B "$work/example" -DCMAKE_PREFIX_PATH="$prefix" -DMODEL="$work/a model.onnx"
logged cmake --build "$work/example"
expect '2 4 6 8 -2 -4 -6 -8' "$work/example/run_small"
expect 'output y' "$work/example/compile_model" "$work/a model.onnx" "$work/package"

# What is built again: nothing, then what depends on the external data.
logged cmake --build "$work/example"
! grep -q 'Compiling the model' "$work/command.log"
sleep 1  # times of files in some file systems are whole seconds
make_model 3
logged cmake --build "$work/example"
expect '3 6 9 12 -3 -6 -9 -12' "$work/example/run_small"

# A mistake in a program is found when it is compiled; another package is found when it is loaded.
sed 's/{{x, {2}}}, /{{x}}, /' "$source/examples/compile/run_small.cpp" > "$work/wrong.cpp"
flags="-I$prefix/include/cppgen -I$work/example/small.headers"
! c++ -std=c++17 $flags -fsyntax-only "$work/wrong.cpp" 2> "$work/wrong.log"
grep -q 'sizes that only a run knows must be given' "$work/wrong.log"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cppgen-compiler.pc)")
export PKG_CONFIG_PATH
library=$(pkg-config --variable=libdir cppgen-compiler)
c++ -std=c++17 -Wall -Wextra -Werror "$source/examples/compile/main.cpp" $(pkg-config --cflags --libs cppgen-compiler) \
  -Wl,-rpath,"$library" -o "$work/compile_model"
expect 'input x' "$work/compile_model" "$work/a model.onnx" "$work/package"
for standard in 17 20; do
  echo '#include <cppgen_compiler.hpp>' | c++ -std=c++$standard -Wall -Wextra -Werror -fsyntax-only -x c++ - \
    $(pkg-config --cflags cppgen-compiler)
done
echo '#include <cppgen_compiler.h>' | cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c - $(pkg-config --cflags cppgen-compiler)
foreign=$(nm -D --defined-only "$library/libcppgen.so" | awk '{ print $3 }' | grep -v '^cppgen_' || true)
[ -z "$foreign" ] || { echo "foreign names: $foreign" >&2; exit 1; }

# The programs in the documents, as pasted.
mkdir "$work/snippets"
python3 "$source/tests/docs/snippets.py" extract "$source" "$work/snippets"
cp "$work/a model.onnx" "$work/snippets/model.onnx"
cp "$work/factor.bin" "$work/snippets"
for snippet in $(grep -l cppgen_compiler "$work"/snippets/*); do
  compiler="cc -std=c99"
  case $snippet in *.cpp) compiler="c++ -std=c++17" ;; esac
  $compiler -Wall -Wextra -Werror "$snippet" $(pkg-config --cflags --libs cppgen-compiler) -Wl,-rpath,"$library" -o "$snippet.out"
  (cd "$work/snippets" && "$snippet.out") > "$snippet.log" 2> "$snippet.err" || { cat "$snippet.err" >&2; exit 1; }
done
expect 12 cat "$work/snippets/docs_compiling_1.cpp.log"
expect '1 inputs' cat "$work/snippets/docs_compiling_2.c.log"

# As a part of another project, which is configured only: it would be built as a whole.
logged cmake -S "$source/examples/compile" -B "$work/part" -G Ninja -DCPPGEN_SOURCE="$source" -DMODEL="$work/a model.onnx"
ninja -C "$work/part" -t commands run_small compile_model > "$work/commands.log"
grep -q 'bin/cppgen compile .*--header .*small.h' "$work/commands.log"
grep -q -- '-o compile_model' "$work/commands.log"
echo "done"
