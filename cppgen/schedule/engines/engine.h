#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// States how a contraction runs: on tiles in a kernel, or by a library function. The first alternative is neither: it
// runs as loops, like any other nest.
using ContractionStep = std::variant<std::monostate, TileContraction, LibraryStep>;

// A nest that runs before a contraction and copies one of its operands into the form that the engine reads.
struct OperandCopy {
  LoopNest nest;
  std::string kind, reason;  // see DecisionLog::Copy
  ContractionStep step{};
};

// A contraction in its engine's form. New buffers are part of the program, and have layouts.
struct Prepared {
  std::vector<OperandCopy> copies;     // in the order in which they run
  std::vector<PackedConstant> packed;  // operands that are rearranged when the model is compiled
  LoopNest nest;                       // the contraction itself, which reads the new operands
  std::optional<LoopNest> epilogue;    // the original stores, if the engine's step stores only sums
  ContractionStep step;
};

// States whether an engine may replace direct tiles, and its predicted time relative to theirs.
struct Replacement {
  FusionDecision allowed;
  double time = 1;
};

inline constexpr std::string_view kDirectTiles = "cppgen";  // the name of the engine for float32 on FMA units

// One way to run contractions. An engine changes how fast a contraction is and how it rounds, but never its meaning,
// which its loops define.
struct Engine {
  std::string name;     // in the output of `explain` and in reports
  std::string backend;  // in MAX_AUTOTUNE_GEMM_BACKENDS and MAX_AUTOTUNE_CONV_BACKENDS; empty: always allowed, after
                        // all others

  // Tells whether it can run the contraction and is faster than the engines after it in the list; if not, the reason.
  std::function<FusionDecision(const Contraction&, const Options&, const Target&)> supports;

  // Brings a supported contraction into the engine's form. The caller fills in the step's `engine`.
  std::function<Prepared(Program&, Layouts&, LoopNest, const Options&, const Target&)> prepare;

  // Null: engines are taken in their order. Otherwise the engine may also replace direct tiles that come before it;
  // asked only about contractions that it supports.
  std::function<Replacement(const Contraction&, const Options&, const Target&)> replacement{};
};

}  // namespace cppgen::schedule
