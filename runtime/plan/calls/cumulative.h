#pragma once
#include <vector>

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// Sums (kCumSum) or products (kCumProd) of all elements up to each one along an axis; those of floats are computed in
// double.
//   inputs:  x; if the axis is known only at run time, also the axis, one int64 in [-rank, rank)
//   outputs: of x's type and shape
inline constexpr const char *kCumSum = "cumsum", *kCumProd = "cumprod";

template <class Int>
struct CumulativeCall {
  static constexpr int64_t kAxisOfRun = -1;

  DType type = DType::f32;  // float32, float64 or integers
  bool exclusive = false, reverse = false;
  int64_t axis = 0;
  std::vector<Int> dims;

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.value("exclusive", exclusive), v.value("reverse", reverse), v.value("axis", axis);
    v.sizes("dimensions", dims);
  }
};

}  // namespace cppgen::rt
