#include "cppgen/schedule/engines/engine_list.h"

namespace cppgen::schedule {
namespace {

Prepared as_any_nest(LoopNest nest) {
  Prepared prepared;
  nest.roles.clear();  // later stages do not treat it as a contraction
  prepared.nest = std::move(nest);
  return prepared;
}

}  // namespace

Engine loops_engine() {
  return {
      "loops", "",
      [](const Contraction&, const Options&, const Target&) { return FusionDecision::yes("reference loops"); },
      [](Program&, Layouts&, LoopNest nest, const Options&, const Target&) { return as_any_nest(std::move(nest)); }};
}

}  // namespace cppgen::schedule
