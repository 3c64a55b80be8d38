#pragma once
#include <memory>

#include "runtime/library/library.h"

namespace cppgen::rt {

// The k greatest (or least) elements along one axis, in descending (ascending) order, and where they stood. Equal
// elements: the lower index first. NaN counts as greatest, as in NumPy's sort order.
//   input:   x       [outer, axis, inner]
//   outputs: values  [outer, k, inner] of x's type; indices [outer, k, inner] int64
enum TopKParam { kTopKDType, kTopKOuter, kTopKAxis, kTopKInner, kTopKCount, kTopKLargest, kTopKParams };

std::unique_ptr<LibraryOperator> create_topk(const LibraryCall&);

}  // namespace cppgen::rt
