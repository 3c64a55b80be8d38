#pragma once
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {

// Tells whether the nest computes one whole buffer, element by element, in loop order: its store indices are its loop
// variables, each once, or 0 where the shape is 1.
bool is_pointwise_producer(const Program&, const LoopNest&);

// Tells whether such a nest copies elements of another buffer.
bool is_view(const LoopNest&);

// The positions in the loops of such a nest at which it stores this element.
ir::IndexMap element_map(const LoopNest& producer, const std::vector<IndexExpr>& element);

}  // namespace cppgen::schedule
