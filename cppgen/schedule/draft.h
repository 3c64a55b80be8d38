#pragma once
#include <set>
#include <vector>

#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/fusion/attention.h"
#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// A schedule in the making: the schedule so far, and what one pass (passes.def) found out for later ones.
struct Draft {
  const Options& options;
  const Target& target;
  Schedule schedule = {};

  std::set<BufferId> inside_attentions = {};       // buffers that kernels of attentions will keep inside
  std::vector<FoundAttention> attentions = {};     // the attentions that become such kernels
  std::vector<const Engine*> engines = {};         // the engine of each contraction, by statement
  std::vector<ContractionStep> contractions = {};  // the step that runs each contraction, by statement
  std::vector<Group> groups = {};                  // the statements of each step

  const Tuning& tuning() const { return target.tuning; }
  Program& program() { return schedule.program; }
  Layouts& layouts() { return schedule.layouts; }
  DecisionLog& log() { return schedule.log; }
};

}  // namespace cppgen::schedule
