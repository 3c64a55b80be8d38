#pragma once
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {

// A DFT whose axis is known only at run time (opset 20) becomes one along axis 1 of a tensor with the elements before,
// along and after that axis. Others are left unchanged.
void expand_transform(Expansion&);

}  // namespace cppgen::passes
