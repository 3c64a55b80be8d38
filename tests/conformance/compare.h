#pragma once
#include <string>

#include "runtime/values/tensor.h"

namespace cppgen::conformance {

// Compares as ONNX's own runner does: floats agree if |actual - expected| <= 1e-7 + 1e-3 * |expected|, NaN with NaN, an
// infinity with itself; integers and bools are equal. The published bfloat16 values are truncated, so these may be off
// by one unit in the last place. Returns "" or the first difference.
std::string difference(const rt::TensorView& expected, const rt::TensorView& actual);

}  // namespace cppgen::conformance
