#pragma once
#include <optional>
#include <span>

#include "cppgen/schedule/contraction.h"

namespace cppgen::schedule {

// Whether tiles of the format can run the contraction: the types of its operands, the depth of the left one contiguous,
// the right one strided, so that it can be packed.
FusionDecision tiles_support(const Program&, const Layouts&, const LoopNest&, rt::TileFormat);

// Whether the scratch of one thread for what the format makes of the left operand is of a reasonable size.
bool prepared_rows_fit(const LoopNest&, rt::TileFormat, const Target&);

// Of formats with the same operands, the one whose panels waste the least; ties go to the first. One that the ISA lacks
// is never chosen; nullopt if it has none of them.
std::optional<rt::TileFormat> choose_format(const LoopNest&, std::span<const rt::TileFormat>, const Target&);

// Prepares a contraction for tiles of a shape: packs its right operand (a constant when the model is compiled, unless
// WEIGHT_PREPACK is 0; else by a nest, which is returned to run before it), and lets the nest read the panels.
struct TilePreparation {
  TileContraction contraction;
  std::optional<PackedConstant> packed;
  std::optional<ir::LoopNest> packing;
};
TilePreparation prepare_tiles(Program&, Layouts&, LoopNest&, rt::TileFormat, rt::TileShape, const Options&);

// Offsets of all points of loops with constant extents and strides, the last one fastest, from `first` on.
std::vector<int64_t> offsets_of(const std::vector<ir::Loop>& loops, IndexExpr offset, int64_t first);

}  // namespace cppgen::schedule
