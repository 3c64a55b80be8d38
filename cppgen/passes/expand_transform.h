#pragma once
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {

// A DFT whose axis only a run knows (opset 20) becomes one along axis 1 of what lies before, along and behind that
// axis. Others are left alone.
void expand_transform(Expansion&);

}  // namespace cppgen::passes
