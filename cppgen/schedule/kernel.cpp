#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

IndexExpr points(const Segment& s) { return ir::points(s.loops) * ir::points(s.reduced); }

std::vector<Expr> roots_of(const Segment& s) {
  std::vector<Expr> roots;
  for (const auto& r : s.reductions) roots.push_back(r.value);
  for (const auto* stores : {&s.body, &s.stores})
    for (const auto& store : *stores) roots.push_back(store.value);
  return roots;
}

std::vector<Expr> left_loads(const TileContraction& c) {
  return c.left_scales ? std::vector{c.left, c.left_scales} : std::vector{c.left};
}

bool keys_are_one_block(const Attention& a, const Tuning& tuning) {
  return a.keys.extent.is_constant() && a.keys.extent.constant() <= tuning.short_keys;
}

std::string engine_of(const FusedKernel& kernel) {
  if (kernel.contraction) return kernel.contraction->engine;
  return kernel.kind == KernelKind::loops ? "loops" : "cppgen";
}

}  // namespace cppgen::schedule
