#pragma once
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/fusion/attention.h"
#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// The engine of a contraction; null if the contraction belongs to an attention.
struct EngineChoice {
  const Engine* engine = nullptr;
  std::string site = {};  // empty without choices
};

// The results of the passes so far: the schedule, and what one pass (passes.def) found out for later ones. Its text is
// in docs/ir.md.
struct DraftState {
  Schedule schedule = {};
  std::string after = {};  // the last kernel pass that ran; empty before the first

  std::set<BufferId> inside_attentions = {};       // buffers that kernels of attentions will keep inside
  std::vector<FoundAttention> attentions = {};     // once engines are chosen: those that have one
  std::vector<EngineChoice> engines = {};          // of contractions, by statement, until they are prepared
  std::vector<ContractionStep> contractions = {};  // the step that runs each contraction, by statement
  std::vector<Group> groups = {};                  // the statements of each step
};

// A schedule in the making.
struct Draft : DraftState {
  const Options& options;
  const Target& target;

  Draft(const Options& o, const Target& t, DraftState state = {})
      : DraftState(std::move(state)), options(o), target(t) {}

  const Tuning& tuning() const { return target.tuning; }
  // The choice for these nests, which become one kernel; sets its site if there are any choices, and logs the choice.
  const Choice& choice(std::span<const LoopNest* const> nests, std::string& site);
  // The target's tuning with the constants that were chosen; null if there are none.
  std::shared_ptr<const Tuning> tuning(const Choice&) const;
  Program& program() { return schedule.program; }
  Layouts& layouts() { return schedule.layouts; }
  DecisionLog& log() { return schedule.log; }
};

}  // namespace cppgen::schedule
