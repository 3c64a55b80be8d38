#pragma once
#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/tuning.h"
#include "cppgen/schedule/uses.h"

// The rules by which a nest joins the kernel of a group.
namespace cppgen::schedule {

// A group's outcome for one more nest. If fused: the group, perhaps with fewer outer loops, and the nest's segment.
struct Joining {
  FusionDecision decision;
  Group group{};
  Segment segment{};
};

// A nest that reads what the group stores, at the same point of all of its outer loops or of the first few (the group's
// pointwise nests then run their remaining loops inside).
Joining join_consumer(Program&, const Group&, const LoopNest&, const Tuning&);

// A nest that does not read results of the group: pointwise nests over equal loops, reductions of the same elements.
Joining join_sibling(Program&, const Group&, const LoopNest&, const Tuning&);

}  // namespace cppgen::schedule
