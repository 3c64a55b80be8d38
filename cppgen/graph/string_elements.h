#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen {

// The element type of string tensors of known rank, which exists only in a graph. Operators that move elements accept
// it like any other type; in plans, strings have the type kStringHandle: the handles with which the host replaces them
// when it enters a plan (runtime/values/string_handles.h).
inline constexpr DType kString = DType(kDTypeCount);
inline constexpr DType kStringHandle = DType::u64;

inline bool is_string_tensor(const Value& v) { return v.type && v.type->dtype == kString; }

}  // namespace cppgen
