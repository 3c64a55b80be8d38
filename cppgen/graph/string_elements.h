#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen {

// The element type of tensors of strings of known rank, in a graph alone. Operators that move elements take them like
// any other type; where plans are made of the graph, strings are kStringHandle: what the host puts in their place when
// it enters a plan (runtime/values/string_handles.h).
inline constexpr DType kString = DType(kDTypeCount);
inline constexpr DType kStringHandle = DType::u64;

inline bool is_string_tensor(const Value& v) { return v.type && v.type->dtype == kString; }

}  // namespace cppgen
