#pragma once
#include <vector>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// The engine of each contraction, by position in the program: the first that supports it, in the order of preference;
// null for other statements and for those that run `elsewhere`, in kernels of another kind.
std::vector<const Engine*> choose_engines(const Program&, const Layouts&,
                                          const std::vector<std::vector<int>>& elsewhere, const Options&, const Target&,
                                          DecisionLog&);

// Brings each contraction into its engine's form and returns the steps, by the statements' new positions. What no
// engine takes is a nest as any other from here on.
std::vector<ContractionStep> prepare_contractions(Schedule&, const std::vector<const Engine*>&, const Options&,
                                                  const Target&);

}  // namespace cppgen::schedule
