#pragma once
#include <optional>
#include <span>

#include "cppgen/schedule/engines/engine.h"

namespace cppgen::schedule {

// Whether tiles of the format can run the contraction: the types of its operands, the depth of the left one contiguous,
// the right one strided, so that it can be packed.
FusionDecision tiles_support(const Contraction&, rt::TileFormat);

// Whether the scratch of one thread for what the format makes of the left operand is of a reasonable size.
bool prepared_rows_fit(const std::optional<ContractionView>&, rt::TileFormat, const Target&);

// Of formats with the same operands, the one whose panels waste the least; ties go to the first. One that the ISA lacks
// is never chosen; nullopt if it has none of them.
std::optional<rt::TileFormat> choose_format(const std::optional<ContractionView>&, std::span<const rt::TileFormat>,
                                            const Target&);

// Prepares a contraction for tiles of a shape: its right operand is packed into panels (panels.h), which the nest
// reads.
Prepared prepare_tiles(Program&, Layouts&, LoopNest, rt::TileFormat, rt::TileShape, const Options&);

}  // namespace cppgen::schedule
