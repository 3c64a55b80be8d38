#pragma once
#include <functional>

#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

struct DraftState;
// Is called after each pass (passes.def) with its name and what passes have made so far (draft.h).
using Trace = std::function<void(const char* pass, const DraftState&)>;

// Turns a lowered program into kernels and library steps in the order in which they run. The program after fusion means
// what the program before meant (the interpreter runs both).
Schedule make_schedule(ir::Program, const Options&, const Target&, const Trace& = {});

// The same without the passes over a whole program, for a part of one after them.
Schedule schedule_part(ir::Program, const Options&, const Target&);

// Runs only the passes that rewrite the program, without layouts and kernels.
void fuse(ir::Program&, const Options&, const Target&, DecisionLog&, const Trace& = {});

}  // namespace cppgen::schedule
