#pragma once
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Chooses the engine of each contraction: the first in the order of preference that supports it. The result is by
// position in the program, null for statements that are no contractions or that run `elsewhere`, in kernels of another
// kind.
std::vector<const Engine*> choose_engines(const Program&, const Layouts&,
                                          const std::vector<std::vector<int>>& elsewhere, const Options&, const Target&,
                                          DecisionLog&);

// Brings each contraction into its engine's form and returns the steps, by the statements' new positions. What no
// engine takes is an ordinary nest from here on.
std::vector<ContractionStep> prepare_contractions(Schedule&, const std::vector<const Engine*>&, const Options&,
                                                  const Target&);

}  // namespace cppgen::schedule
