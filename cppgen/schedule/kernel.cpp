#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

IndexExpr points(const Segment& s) { return ir::points(s.loops) * ir::points(s.reduced); }

bool keys_are_one_block(const Attention& a, const Tuning& tuning) {
  return a.keys.extent.is_constant() && a.keys.extent.constant() <= tuning.short_keys;
}

std::string engine_of(const FusedKernel& kernel) {
  if (kernel.contraction) return kernel.contraction->engine;
  return is_loops(kernel) ? "loops" : "cppgen";
}

}  // namespace cppgen::schedule
