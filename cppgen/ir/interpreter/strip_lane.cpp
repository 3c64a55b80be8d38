#include "cppgen/ir/interpreter/strip_lane.h"

#include <algorithm>
#include <cmath>

namespace cppgen::ir {

namespace {

// Nanoseconds, roughly as measured on one core; only their proportions matter.
constexpr double kPerStep = 12, kElementwise = 0.3, kContiguous = 0.2, kStrided = 1.0, kFarStrided = 2.5, kGeneral = 8;
constexpr int64_t kCacheLine = 64;

std::vector<Expr> nodes_of(const LoopNest& nest) {
  return nest.reductions.empty() ? values_of(nest.stores) : values_of(nest.reductions);
}

double index_cost(IndexExpr e, const IndexNode* lane, int64_t element_size) {
  if (!depends_on(e, lane)) return kContiguous;
  const auto stride = stride_of(e, lane);
  if (!stride || !stride->is_constant()) return kGeneral;
  const int64_t bytes = std::abs(stride->constant()) * element_size;
  return bytes == element_size ? kContiguous : bytes < kCacheLine ? kStrided : kFarStrided;
}

// Returns whether what a reference is bound to differs from lane to lane.
bool bindings_vary(const LocalReference& r, NestSpace& space, const IndexNode* lane) {
  for (const auto& b : r.bindings)
    for (Expr e : postorder({&b.value, 1})) {
      if (e->kind == ExprKind::index && depends_on(space.local(e->indices[0]), lane)) return true;
      if (e->kind == ExprKind::load && depends_on(space.load(e).offset, lane)) return true;
    }
  return false;
}

double load_cost(const LocalReference& r, NestSpace& space, const IndexNode* lane, int64_t element_size) {
  double cost = bindings_vary(r, space, lane) ? kGeneral : index_cost(r.offset, lane, element_size);
  for (const auto& c : r.conditions)
    if (depends_on(c.value, lane) && !stride_of(c.value, lane)) cost += kGeneral;
  return cost;
}

double element_cost(const LoopNest& nest, NestSpace& space, const std::vector<Expr>& nodes, const IndexNode* lane) {
  double cost = 0;
  for (Expr e : nodes) {
    const bool load = e->kind == ExprKind::load;
    const auto size = load ? static_cast<int64_t>(size_of(space.tensor(e->buffer).type)) : 0;
    cost += load ? load_cost(space.load(e), space, lane, size) : kElementwise;
  }
  if (!nest.reductions.empty()) return cost;
  for (const Store& s : nest.stores) cost += index_cost(space.store(s).offset, lane, 4);
  return cost;
}

}  // namespace

int choose_lane(const LoopNest& nest, NestSpace& space, const std::optional<PrefixReduction>& prefix) {
  const std::vector<Expr> nodes = nodes_of(nest);
  const int last_loop = space.first_reduced() - 1;
  const int last = nest.reduced.empty() || prefix ? last_loop : space.slots() - 1;
  int best = -1;
  double best_cost = HUGE_VAL;
  for (int slot = last; slot >= 0; slot--) {
    if ((slot != last && slot > last_loop) || (prefix && slot == prefix->outer)) continue;
    const auto length = static_cast<double>(std::min<int64_t>(space.extent(slot), kStripLength));
    if (length == 0) continue;
    const double per_strip = kPerStep * static_cast<double>(nodes.size() + 1);
    const double cost = element_cost(nest, space, nodes, space.variable(slot)) + per_strip / length;
    if (cost < best_cost) {
      best = slot;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace cppgen::ir
