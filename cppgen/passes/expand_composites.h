#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Operators of com.microsoft that optimisers write for several of ONNX become these again: attentions with packed or
// shared operands, normalisations, windows over images with channels last, products and rows of packed weights, and
// what ONNX has under the same name. The table says which. Needs no types. A form that cannot be expressed is left
// alone, so the support check names it.
// tests/passes/expand_composites_test.cpp
void expand_composites(Graph&);

}  // namespace cppgen::passes
