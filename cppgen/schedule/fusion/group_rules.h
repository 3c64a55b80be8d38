#pragma once
#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/options.h"
#include "cppgen/schedule/uses.h"

// The rules by which a nest joins the kernel of a group.
namespace cppgen::schedule {

// A group's outcome for one more nest. If fused: the group, perhaps with fewer outer loops, and the nest's segment.
struct Joining {
  FusionDecision decision;
  Group group{};
  Segment segment{};
  bool by_setting = false;  // a setting is the reason why not
};

// A nest that reads what the group stores, at the same point of all of its outer loops or of the first few (the group's
// pointwise nests then run their remaining loops inside).
Joining join_consumer(Program&, const Group&, const LoopNest&, const Options&, const Tuning&);

// A nest that does not read results of the group: pointwise nests over equal loops, reductions of the same elements;
// which of them must read the same buffers, and how much of them, depends on COMBO_KERNELS, AGGRESSIVE_FUSION and
// SCORE_FUSION_MEMORY_THRESHOLD.
Joining join_sibling(Program&, const Group&, const LoopNest&, const Options&, const Tuning&);

}  // namespace cppgen::schedule
