#pragma once
#include "cppgen/passes/options.h"

namespace cppgen::passes {

// infer_types. Where a node needs two dimensions to be equal that the inputs' declarations do not relate - a mask of M
// keys added to scores of P + S, N rows reshaped to one - one of the symbols becomes what it has to be, in the types of
// the inputs, which a run checks; a warning says so. What a branch needs that may never be taken says nothing of the
// inputs. Else the arena takes to hold what makes them equal (bounds_for_equality), which a run checks, too: S
// positions of a table of 40 need S <= 40. UserError of the node if neither helps.
// tests/passes/relate_dimensions_test.cpp
void infer_types_relating_dimensions(Graph&, const PassOptions&);

}  // namespace cppgen::passes
