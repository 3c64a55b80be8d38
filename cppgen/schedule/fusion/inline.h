#pragma once
#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Vertical fusion by inlining: a pointwise nest whose buffer is read by other nests is recomputed where it is read.
// The program's meaning stays (down-casts to narrow storage in between are dropped). Tests: tests/schedule.
//
// Views (a single load) go into every reader; other nests only into their single reader.
void inline_single_use(ir::Program&, const Options&, DecisionLog&);
// Cheap nests with several readers go into all of them, within the REALIZE thresholds.
void inline_cheap(ir::Program&, const Options&, DecisionLog&);
// Views that only the contractions of attentions read, at these positions, go into them: such a kernel takes each point
// of the batch by itself, so that heads of keys that several heads of queries share are never repeated in memory.
void inline_into_attentions(ir::Program&, const std::vector<int>& contractions, const Options&, DecisionLog&);

}  // namespace cppgen::schedule
