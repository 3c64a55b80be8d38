#include "cppgen/schedule/fusion/producer.h"

#include <algorithm>

namespace cppgen::schedule {

bool is_pointwise_producer(const Program& program, const LoopNest& nest) {
  if (!nest.reduced.empty() || !nest.reductions.empty() || nest.stores.size() != 1) return false;
  const auto& store = nest.stores[0];
  const auto& shape = program.buffer(store.buffer).shape;
  size_t used = 0;
  for (size_t d = 0; d < shape.size(); d++) {
    if (shape[d].is_constant(1) && store.indices[d].is_constant(0)) continue;
    auto loop =
        std::find_if(nest.loops.begin(), nest.loops.end(), [&](const auto& l) { return l.var == store.indices[d]; });
    if (loop == nest.loops.end() || !(loop->extent == shape[d])) return false;
    used++;
  }
  return used == nest.loops.size();
}

bool is_view(const LoopNest& nest) { return nest.stores[0].value->kind == ir::ExprKind::load; }

ir::IndexMap element_map(const LoopNest& producer, const std::vector<IndexExpr>& element) {
  ir::IndexMap map;
  const auto& store = producer.stores[0];
  for (size_t d = 0; d < store.indices.size(); d++)
    if (!store.indices[d].is_constant()) map[store.indices[d].node()] = element[d];
  return map;
}

}  // namespace cppgen::schedule
