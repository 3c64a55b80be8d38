#pragma once
#include "cppgen/schedule/contraction.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/engines/engine.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// The conditions of a tile engine beyond the operands that its tiles support: settings, the machine, and that it is
// faster than the engines after it in the list.
using TileCondition = FusionDecision (*)(const Contraction&, const Options&, const Target&);

// float32 operands are split into this many parts in bfloat16 for matrix tiles; with one part they are rounded.
FusionDecision splits_into_one(const Contraction&, const Options&, const Target&);
FusionDecision splits_into_two(const Contraction&, const Options&, const Target&);
FusionDecision splits_into_three(const Contraction&, const Options&, const Target&);
// The time of three parts relative to that of direct tiles, both on panels of constant weights.
using TileReplacement = Replacement (*)(const Contraction&, const Options&, const Target&);
Replacement three_parts_replace(const Contraction&, const Options&, const Target&);
// bfloat16 tensors are multiplied on matrix tiles.
FusionDecision multiplies_bf16_tiles(const Contraction&, const Options&, const Target&);

// float32 operands are rounded to bfloat16, or bfloat16 tensors taken, for dot products of pairs.
FusionDecision rounds_to_bf16(const Contraction&, const Options&, const Target&);
FusionDecision multiplies_bf16_pairs(const Contraction&, const Options&, const Target&);

// Bytes are multiplied on matrix tiles. Their sums are exact, so every mode allows it.
FusionDecision multiplies_bytes_on_tiles(const Contraction&, const Options&, const Target&);

}  // namespace cppgen::schedule
