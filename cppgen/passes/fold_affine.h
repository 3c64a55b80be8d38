#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// Folds chains of per-channel affine steps (BatchNormalization, and Mul, Add, Sub, Div by per-channel constants) into
// the weights and bias of the Conv before them, if every value between has one user. A chain of several steps, or a
// BatchNormalization, without such a Conv becomes one Mul and one Add. Everything is computed in double and rounded
// once; a chain with a scale or shift that is not finite in the tensor's type stays. With `frozen` false, initializers
// stay as they are. Dead nodes are left behind. tests/passes/fold_affine_test.cpp
void fold_affine(Graph&, bool frozen);

}  // namespace cppgen::passes
