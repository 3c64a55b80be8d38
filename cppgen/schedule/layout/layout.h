#pragma once
#include <vector>

#include "cppgen/ir/values/expr.h"

namespace cppgen::ir {
struct Buffer;
struct LoopNest;
struct Program;
}  // namespace cppgen::ir

namespace cppgen::schedule {

using ir::BufferId;
using ir::Expr;
using ir::IndexExpr;
using ir::LoopNest;
using ir::Program;

// A layout states the positions of the elements of a buffer: it names the dimensions from the slowest to the fastest,
// with `pad` unused elements after each run of the fastest. Inputs and outputs are row-major, {0, 1, 2 ...}, without
// gaps.
struct Layout {
  std::vector<int> order;
  int64_t pad = 0;
  bool operator==(const Layout&) const = default;
};
using Layouts = std::vector<Layout>;  // by BufferId

Layout row_major(size_t rank);
// The layout with dimension `last` the fastest and the others in order; dimension 1 of 4 gives channels-last images.
Layout with_last(size_t rank, int last);

// The distance in elements between neighbours along each dimension of the buffer.
std::vector<ir::IndexExpr> strides_of(const ir::Buffer&, const Layout&);
// The number of elements from the first to the last, including gaps.
ir::IndexExpr storage_elements(const ir::Buffer&, const Layout&);
// The offset in elements of the element at these (logical) indices.
ir::IndexExpr offset_of(const ir::Buffer&, const Layout&, const std::vector<ir::IndexExpr>& indices);
// The offset in elements of what a load reads.
ir::IndexExpr offset_of(const ir::Program&, const Layouts&, ir::Expr load);

}  // namespace cppgen::schedule
