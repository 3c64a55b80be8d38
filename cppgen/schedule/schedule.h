#pragma once
#include <functional>

#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

struct Draft;
// Is called after each pass (passes.def) with its name and what passes have made so far (draft.h).
using Trace = std::function<void(const char* pass, const Draft&)>;

// Turns a lowered program into kernels and library steps in the order in which they run, with what is chosen for its
// sites and for the whole program (Options::choices). The program after fusion means what the program before meant (the
// interpreter runs both).
Schedule make_schedule(ir::Program, const Options&, const Target&, const Trace& = {});

// The same without the passes over a whole program, and without its choice, for a part of one after them.
Schedule schedule_part(ir::Program, const Options&, const Target&);

// The constants of the schedule's kernels and runs, unless a kernel has its own.
const Tuning& tuning_of(const Schedule&, const Target&);

// Runs only the passes that rewrite the program, without layouts and kernels.
void fuse(ir::Program&, const Options&, const Target&, DecisionLog&, const Trace& = {});

}  // namespace cppgen::schedule
