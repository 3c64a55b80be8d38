#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/host/host_functions.h"

namespace cppgen::rt {

// Tensors of one type, or of strings, joined along `axis` (new_axis: which is inserted), which is in range. UserError
// naming the node if their shapes do not fit.
Value join_values(const HostCall&, std::span<const Value* const> parts, int64_t axis, bool new_axis);
// `count` elements of `axis` from `begin` on; `drop`: of one element, without the axis.
Value part_of(const HostCall&, const Value&, int64_t axis, int64_t begin, int64_t count, bool drop);
// Of a tensor or of strings. UserError naming the node if it is something else.
const std::vector<int64_t>& dims_of(const HostCall&, const Value&);

}  // namespace cppgen::rt
