#pragma once
#include <vector>

#include "runtime/plan/call_fields.h"

namespace cppgen::rt {

// A copy of data with updates applied: ONNX's ScatterElements and ScatterND. UserError for indices out of range;
// negative ones count from the end.
//   inputs:  data, indices (int64), updates of data's type (float32, float64, integers or bool; replace: any)
//   outputs: of data's type and shape
inline constexpr const char *kScatterElements = "scatter_elements", *kScatterNd = "scatter_nd";

// States how an update changes the element that it addresses, in the order of the updates. NaN is propagated.
enum class Combine : uint8_t { replace, sum, prod, max, min };

template <class Int>
struct ScatterElementsCall {
  DType type = DType::f32;
  Combine combine = Combine::replace;
  int64_t axis = 0;
  std::vector<Int> data, updates;  // dimensions; those of the indices are those of the updates

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.choice("combination", combine, Combine::min), v.value("axis", axis);
    v.sizes("dimensions of data", data), v.sizes("dimensions of updates", updates);
  }
};

template <class Int>
struct ScatterNdCall {
  DType type = DType::f32;
  Combine combine = Combine::replace;
  Int rows = 0, slice = 0;     // the number of updates and the number of elements of each
  std::vector<Int> addressed;  // dimensions

  template <class V>
  void fields(V& v) {
    v.value("type", type), v.choice("combination", combine, Combine::min);
    v.size("updates", rows), v.size("elements of an update", slice), v.sizes("addressed dimensions", addressed);
  }
};

}  // namespace cppgen::rt
