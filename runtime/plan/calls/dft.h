#pragma once

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// Discrete Fourier transforms of rows, summed in double.
//   input:   samples [rows, length, parts]; parts: 1 (real) or 2 (real and imaginary part)
//   output:  [rows, bins, 2] of the same type, float32 or float64: the first `bins` frequencies, bins <= length / 2 + 1
//            or bins = length; of an inverse transform divided by the length
inline constexpr const char* kDft = "dft";

template <class Int>
struct DftCall {
  DType type = DType::f32;
  Int rows = 0, length = 0, parts = 0, bins = 0;
  bool inverse = false;

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.size("rows", rows), v.size("length", length), v.size("parts", parts);
    v.size("bins", bins), v.value("inverse", inverse);
  }
};

}  // namespace cppgen::rt
