#include "cppgen/kernel/accessed.h"

#include <algorithm>

namespace cppgen::kernel {
namespace {

// Points of the loops that the indices depend on: at most so many elements are accessed.
IndexExpr points_accessed(const std::vector<ir::Loop>& loops, const std::vector<IndexExpr>& indices) {
  IndexExpr n = 1;
  for (const ir::Loop& l : loops)
    if (std::any_of(indices.begin(), indices.end(), [&](IndexExpr i) { return ir::depends_on(i, l.var.node()); }))
      n = n * l.extent;
  return n;
}

}  // namespace

void Accessed::add(const schedule::Segment& s, std::vector<ir::Loop> loops) {
  loops.insert(loops.end(), s.loops.begin(), s.loops.end());
  std::vector<ir::Loop> all = loops;
  all.insert(all.end(), s.reduced.begin(), s.reduced.end());
  for (Expr load : loads_of(s)) add_load(load, all);
  for (const auto& store : s.body) add(store.buffer, points_accessed(all, store.indices));
  for (const auto& store : s.stores) add(store.buffer, points_accessed(loops, store.indices));
}

void Accessed::add_segments(const std::vector<ir::Loop>& outer) {
  for (const auto& s : view_.kernel.segments) add(s, outer);
}

void Accessed::add_load(Expr e, const std::vector<ir::Loop>& loops) {
  if (e->kind != ir::ExprKind::load) return;
  add(e->buffer, e->indirects.empty() ? points_accessed(loops, e->indices) : ir::points(loops));
}

void Accessed::add_all(BufferId b) { add(b, ir::product(view_.program().buffer(b).shape)); }

void Accessed::add(BufferId b, IndexExpr elements) {
  if (view_.local(b)) return;
  const auto [it, added] = elements_.emplace(b, elements);
  if (!added) it->second = it->second + elements;
}

IndexExpr Accessed::bytes() const {
  IndexExpr n = 0;
  for (const auto& [b, elements] : elements_) {
    const IndexExpr all = ir::product(view_.program().buffer(b).shape);
    n = n + ir::min(elements, all) * int64_t(size_of(view_.type_of(b)));
  }
  return n;
}

}  // namespace cppgen::kernel
