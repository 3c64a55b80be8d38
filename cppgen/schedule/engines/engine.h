#pragma once
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// What runs a contraction: tiles in a kernel, or a library function. The first alternative is neither: the contraction
// then runs as loops like any other nest.
using ContractionStep = std::variant<std::monostate, TileContraction, LibraryStep>;

// A nest that runs in front of a contraction and holds one of its operands in the form that the engine reads.
struct OperandCopy {
  LoopNest nest;
  std::string kind, reason;  // see DecisionLog::Copy
};

// A contraction in its engine's form. New buffers are part of the program, and have layouts.
struct Prepared {
  std::vector<OperandCopy> copies;     // in the order in which they run
  std::vector<PackedConstant> packed;  // operands that are rearranged when the model is compiled
  LoopNest nest;                       // the contraction itself, which reads the operands from where they are now
  std::optional<LoopNest> epilogue;    // what the nest stored before, where the engine's step keeps its sums only
  ContractionStep step;
};

// One way to run contractions. An engine changes how fast a contraction is and how it rounds, never what it means; that
// is what its loops say.
struct Engine {
  std::string name;     // as `explain` and reports print it
  std::string backend;  // as MAX_AUTOTUNE_GEMM_BACKENDS and MAX_AUTOTUNE_CONV_BACKENDS name it; empty: always
                        // allowed, after all others

  // Whether it can run the contraction, and is faster than the engines behind it in the list; if not, why.
  std::function<FusionDecision(const Contraction&, const Options&, const Target&)> supports;

  // Brings a contraction that it supports into its form. The caller fills in the step's `engine`.
  std::function<Prepared(Program&, Layouts&, LoopNest, const Options&, const Target&)> prepare;
};

}  // namespace cppgen::schedule
