#pragma once
#include "cppgen/schedule/contraction.h"

namespace cppgen::schedule {

// float32 by `Parts` parts in bfloat16 on matrix tiles; 1: rounded to bfloat16.
FusionDecision splits_into_one(const Program&, const LoopNest&, const Options&, const Target&);
FusionDecision splits_into_two(const Program&, const LoopNest&, const Options&, const Target&);
FusionDecision splits_into_three(const Program&, const LoopNest&, const Options&, const Target&);
// bfloat16 tensors on matrix tiles.
FusionDecision multiplies_bf16_tiles(const Program&, const LoopNest&, const Options&, const Target&);

// float32 rounded to bfloat16, and bfloat16 tensors, by dot products of pairs.
FusionDecision rounds_to_bf16(const Program&, const LoopNest&, const Options&, const Target&);
FusionDecision multiplies_bf16_pairs(const Program&, const LoopNest&, const Options&, const Target&);

// Bytes on matrix tiles: exact, so in every mode.
FusionDecision multiplies_bytes_on_tiles(const Program&, const LoopNest&, const Options&, const Target&);

}  // namespace cppgen::schedule
