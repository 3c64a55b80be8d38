#pragma once
#include <algorithm>

#include "cppgen/schedule/schedule.h"
#include "tests/passes/graph_maker.h"

namespace cppgen::schedule {

inline Target small_target() {
  Target target{"avx2", 8, {{{6, 16}}}, 1 << 20};
  target.tiles[size_t(rt::TileFormat::f32_copied)] = target.tiles[size_t(rt::TileFormat::f32_matrix)] = {6, 16};
  return target;
}

// The schedule of a graph whose outputs are declared.
inline Schedule scheduled(GraphMaker& g, const Options& options = {}) {
  return make_schedule(ops::lower(g.g), options, small_target());
}

// The first decision of the rule whose subject mentions `part`; a "no such decision" otherwise.
inline FusionDecision decision(const DecisionLog& log, const std::string& rule, const std::string& part = "") {
  for (const auto& e : log.entries)
    if (e.rule == rule && e.subject.find(part) != std::string::npos) return e.decision;
  return FusionDecision::no("no such decision");
}

inline std::vector<const FusedKernel*> kernels_of(const Schedule& s) {
  std::vector<const FusedKernel*> kernels;
  for (const auto& step : s.steps)
    if (const auto* k = std::get_if<FusedKernel>(&step)) kernels.push_back(k);
  return kernels;
}

}  // namespace cppgen::schedule
