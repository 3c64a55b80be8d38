#pragma once
#include <optional>
#include <span>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Tells whether tiles of the format can run the contraction: operands must have its types, the K axis of the left one
// must be contiguous, and the right one strided, so that it can be packed.
FusionDecision tiles_support(const Contraction&, rt::TileFormat, const Options&, const Tuning&);

// Tells whether the left operand, in the form that the format needs, fits into the scratch memory of one thread.
bool prepared_rows_fit(const std::optional<ContractionView>&, rt::TileFormat, const Target&);

// Chooses among formats for the same operands the one whose panels waste the least, or the first of several. A format
// that the ISA lacks is never chosen; the result is nullopt if it has none of them.
std::optional<rt::TileFormat> choose_format(const std::optional<ContractionView>&, std::span<const rt::TileFormat>,
                                            const Target&);

// Prepares a contraction for tiles of a shape. Its right operand is packed into panels (panels.h), which the nest
// reads, unless it may stay in place for tiles of this target.
Prepared prepare_tiles(Program&, Layouts&, LoopNest, rt::TileFormat, rt::TileShape, const Options&, const Tuning&,
                       const Target* in_place = nullptr);

}  // namespace cppgen::schedule
