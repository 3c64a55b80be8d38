#pragma once
#include "cppgen/ops/common.h"
#include "runtime/plan/call_fields.h"

namespace cppgen::ops {

// Calls of the runtime's library in place of loops (LowerContext::uses_library), with the buffers and parameters of
// runtime/plan/calls.
template <class Call>
ir::LibraryCall library_call(const char* function, const Call& call, std::vector<ir::BufferId> inputs,
                             std::vector<ir::BufferId> outputs) {
  rt::FlatFields<IndexExpr> fields = rt::flat_fields<IndexExpr>(call);
  return {function, std::move(inputs), std::move(outputs), std::move(fields.integers), std::move(fields.numbers), {}};
}

// The type of a tensor, and the numbers of elements before, along and after an axis.
struct AxisExtents {
  IndexExpr outer = 1, count, inner = 1;
};
AxisExtents extents_along(const Shape&, int axis);

// Types that the library computes with directly. Narrower floats are widened for the call.
inline bool computes_as_stored(DType t) { return t != DType::f16 && t != DType::bf16; }
ir::BufferId emit_as(LowerContext&, ir::BufferId from, DType type,
                     const std::string& name);  // the buffer itself if it has this type
// A buffer of this type for a result, and the function that moves it into the output.
ir::BufferId result_as(LowerContext&, int output, DType type);
void emit_result(LowerContext&, ir::BufferId from, int output);

}  // namespace cppgen::ops
