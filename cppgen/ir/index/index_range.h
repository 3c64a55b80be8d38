#pragma once
#include "cppgen/ir/index/index_expr.h"

namespace cppgen::ir {

// Interval arithmetic on IndexRange: inclusive bounds, saturating at -kUnbounded and kUnbounded.
IndexRange add_ranges(IndexRange, IndexRange);
IndexRange multiply_ranges(IndexRange, IndexRange);
IndexRange floordiv_range(IndexRange dividend, IndexRange divisor);  // divisor: its positive part
IndexRange mod_range(IndexRange dividend, IndexRange divisor);
IndexRange range_of(const IndexNode& candidate);  // from its operands

}  // namespace cppgen::ir
