#!/bin/sh
# Programs that use other libraries compute what they would without the cppgen runtime, also where it is linked before
# these libraries or preloaded: a program with BLAS, NumPy, and Python's onnx with protobuf.
#
#   clash_test.sh SOURCE_DIR LIBRARY_DIR PYTHON
set -eu
source=$1 libraries=$2 python=$3
runtime=$libraries/libcppgen_runtime.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

preloaded() { LD_PRELOAD=$runtime "$@"; }

if cc -x c /dev/null -shared -lopenblas -o "$work/none.so" 2> /dev/null; then
  for order in "-lcppgen_runtime -lopenblas" "-lopenblas -lcppgen_runtime"; do
    # shellcheck disable=SC2086  # a list of words
    cc -std=c99 -Wall -Wextra -Werror -I"$source/runtime/session" "$source/tests/abi/product.c" -L"$libraries" $order \
      -Wl,-rpath,"$libraries" -o "$work/product"
    [ "$("$work/product")" = done ] && [ "$(preloaded "$work/product")" = done ]
  done
else
  echo "OpenBLAS is missing: programs with it are not tried (package libopenblas-dev)"
  [ "${CI:-}" != true ] || exit 1
fi

cat > "$work/use_numpy.py" <<'END'
import numpy as np
a, b = np.arange(90000.0).reshape(300, 300) % 7, np.arange(90000.0).reshape(300, 300) % 5
for dtype in (np.float64, np.float32):
    x, y = a.astype(dtype), b.astype(dtype)
    for product, left, right in ((x @ y, x, y), (x.T @ y, x.T, y), (x @ y[0], x, y[:1].T)):
        expected = np.einsum("ik,kj->ij", left.astype(np.int64), right.astype(np.int64))
        assert (product.reshape(expected.shape) == expected).all(), (dtype, abs(product.reshape(expected.shape) - expected).max())
END
cat > "$work/use_protobuf.py" <<'END'
import onnx
from onnx import TensorProto, helper
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["N", 4]) for n in "xy")
model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y]))
again = onnx.load_from_string(model.SerializeToString())
onnx.checker.check_model(again)
assert again == model and again.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "N"
END
for script in numpy protobuf; do
  "$python" "$work/use_$script.py"
  preloaded "$python" "$work/use_$script.py"
done
echo "done"
