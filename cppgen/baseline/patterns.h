#pragma once
#include <optional>

#include "cppgen/graph/graph.h"

namespace cppgen::baseline {

// Replaces patterns of single operators, as exporters write them, by the operator that oneDNN has a primitive for: Gelu
// (by the error function or by tanh), Swish, HardSwish, LayerNormalization, and BatchNormalization for a scale and a
// shift per channel. Constant factors of a product's operands are moved after it. The meaning is preserved up to
// rounding.
void recognize_patterns(Graph&);

// The value of a float32 constant that has one element.
std::optional<double> scalar_of(const Graph&, ValueId);

}  // namespace cppgen::baseline
