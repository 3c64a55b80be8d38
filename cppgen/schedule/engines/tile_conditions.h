#pragma once
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// What an engine of tiles asks for beyond the operands that its tiles take: settings, the machine, and that it is
// faster than the engines behind it in the list.
using TileCondition = FusionDecision (*)(const Contraction&, const Options&, const Target&);

// float32 by this many parts in bfloat16 on matrix tiles; one part: rounded to bfloat16.
FusionDecision splits_into_one(const Contraction&, const Options&, const Target&);
FusionDecision splits_into_two(const Contraction&, const Options&, const Target&);
FusionDecision splits_into_three(const Contraction&, const Options&, const Target&);
// bfloat16 tensors on matrix tiles.
FusionDecision multiplies_bf16_tiles(const Contraction&, const Options&, const Target&);

// float32 rounded to bfloat16, and bfloat16 tensors, by dot products of pairs.
FusionDecision rounds_to_bf16(const Contraction&, const Options&, const Target&);
FusionDecision multiplies_bf16_pairs(const Contraction&, const Options&, const Target&);

// Bytes on matrix tiles: exact, so allowed in every mode.
FusionDecision multiplies_bytes_on_tiles(const Contraction&, const Options&, const Target&);

}  // namespace cppgen::schedule
