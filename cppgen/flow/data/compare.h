#pragma once
#include <optional>
#include <span>

#include "runtime/values/compare.h"
#include "runtime/values/value.h"

namespace cppgen {

// Compares as NumPy's assert_allclose does, for which ONNX's test data are made: floats agree if |difference| <= atol +
// rtol * |expected| element by element; NaN agrees with NaN, and an infinity with itself; integers and bools must be
// equal. Without a value, rtol is 1e-3, or 2^-7 for bfloat16, whose published values are truncated, not rounded.
struct ElementTolerance {
  std::optional<double> rtol;
  double atol = 1e-7;
};

// Types, dimensions and the number of outputs are also checked. `limit` of a report is the tolerance at `worst`.
rt::VerifyReport compare_elements(std::span<const rt::ExpectedOutput> expected, std::span<const rt::Tensor> actual,
                                  const ElementTolerance&);

// Does the same for values of any kind: strings must be equal; sequences must have equal lengths and elements that
// agree. One report per tensor, named "output[2]".
rt::VerifyReport compare_values(std::span<const std::string> names, std::span<const rt::Value> expected,
                                std::span<const rt::Value> actual, const ElementTolerance&);

}  // namespace cppgen
