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

// One engine of the choice list: a faster way to run a contraction's meaning. The reference, its loops, comes last and
// takes everything.
struct Engine {
  std::string name;     // as `explain` and reports print it
  std::string backend;  // as MAX_AUTOTUNE_GEMM_BACKENDS names it; empty: always allowed
  FusionDecision (*supports)(const ir::Program&, const Layouts&, const ir::LoopNest&, const Target&);
};
const std::vector<Engine>& engine_list();

// The engine of each contraction statement: by position in the program ("" for other statements).
std::vector<std::string> choose_engines(const ir::Program&, const Layouts&, const Options&, const Target&,
                                        DecisionLog&);

// Prepares a contraction for the tile engine: packs its right operand (a constant when the model is compiled, else by a
// nest, which is returned to run before it), and lets the nest read the panels.
struct TilePreparation {
  TileContraction contraction;
  std::optional<PackedConstant> packed;
  std::optional<ir::LoopNest> packing;
};
TilePreparation prepare_tiles(ir::Program&, Layouts&, ir::LoopNest&, const Target&);

}  // namespace cppgen::schedule
