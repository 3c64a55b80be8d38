#include "cppgen/kernel/view.h"

#include <algorithm>

namespace cppgen::kernel {

using schedule::Place;

const schedule::Local* KernelView::local(BufferId b) const {
  for (const auto& l : kernel.locals)
    if (l.buffer == b) return &l;
  return nullptr;
}

IndexExpr KernelView::offset(BufferId b, const std::vector<IndexExpr>& indices) const {
  const auto& buffer = program().buffer(b);
  const auto* l = local(b);
  if (!l || l->place != Place::row) return schedule::offset_of(buffer, schedule.layouts[size_t(b)], indices);
  const auto is_outer = [&](IndexExpr index) {
    return std::any_of(kernel.outer.begin(), kernel.outer.end(),
                       [&](const ir::Loop& loop) { return ir::depends_on(index, loop.var.node()); });
  };
  IndexExpr offset = 0, step = 1;
  const auto& order = schedule.layouts[size_t(b)].order;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = size_t(order[i]);
    if (is_outer(indices[d])) continue;
    offset = offset + indices[d] * step;
    step = step * buffer.shape[d];
  }
  return offset;
}

}  // namespace cppgen::kernel
