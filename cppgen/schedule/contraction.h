#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// A contraction as engines see it.
struct ContractionView {
  ir::Expr left = nullptr, right = nullptr;           // operand loads
  std::vector<ir::Loop> batch, rows, columns, depth;  // depth in loop order, innermost last
};
std::optional<ContractionView> view_of(const ir::LoopNest&);

// Whether the load's place depends on the loop.
bool moves_with(ir::Expr load, const ir::Loop&);

// Whether the value is a constant, or one element of a buffer: the same wherever it is read.
bool is_one_value(ir::Expr);

// What an engine asks for beyond the operands that its tiles take: settings, the machine, and that it is faster than
// the engines behind it in the list (engine_conditions.h).
using EngineCondition = FusionDecision (*)(const Program&, const LoopNest&, const Options&, const Target&);

// One engine of the choice list: a faster way to run a contraction's meaning. The reference, its loops, comes last and
// takes everything.
struct Engine {
  enum Kind : uint8_t { tiles, n_bits, onednn, xsmm, loops };

  std::string name;     // as `explain` and reports print it
  std::string backend;  // as MAX_AUTOTUNE_GEMM_BACKENDS names it; empty: always allowed
  Kind kind;
  std::vector<rt::TileFormat> formats = {};  // of tiles: for the same operands, of several shapes
  EngineCondition condition = nullptr;       // null: none
};
const std::vector<Engine>& engine_list();
FusionDecision supports(const Engine&, const Program&, const Layouts&, const LoopNest&, const Options&, const Target&);

// The engine of each contraction statement: by position in the program, null for other statements and for those that
// run in a kernel of another kind.
std::vector<const Engine*> choose_engines(const Program&, const Layouts&, const std::vector<int>& elsewhere,
                                          const Options&, const Target&, DecisionLog&);

}  // namespace cppgen::schedule
