#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/host/host_functions.h"

namespace cppgen::rt {

// Tensors of one type, or of strings, concatenated along `axis`, which must be in range (with new_axis, along a new
// axis at this position). UserError naming the node if their shapes do not match.
Value join_values(const HostCall&, std::span<const Value* const> parts, int64_t axis, bool new_axis);
// `count` elements of `axis` starting at `begin`; with `drop`, one element without the axis.
Value part_of(const HostCall&, const Value&, int64_t axis, int64_t begin, int64_t count, bool drop);
// The dimensions of a tensor or of strings. UserError naming the node if the value is of another kind.
const std::vector<int64_t>& dims_of(const HostCall&, const Value&);

}  // namespace cppgen::rt
