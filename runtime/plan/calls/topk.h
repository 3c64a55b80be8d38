#pragma once

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// The k greatest (or least) elements along one axis, in descending (ascending) order, and their positions. Of equal
// elements the one with the lower index comes first. NaN counts as greatest, as in NumPy's sort order.
//   input:   x       [outer, axis, inner]
//   outputs: values  [outer, k, inner] of x's type; indices [outer, k, inner] int64
inline constexpr const char* kTopK = "topk";

template <class Int>
struct TopKCall {
  DType type = DType::f32;  // floats of 16 bits and more, integers of whole bytes, bool
  Int outer = 0, axis = 0, inner = 0, k = 0;
  bool largest = true;

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.size("outer", outer), v.size("axis", axis), v.size("inner", inner), v.size("k", k);
    v.value("largest", largest);
  }
};

}  // namespace cppgen::rt
