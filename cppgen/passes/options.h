#pragma once
#include <functional>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter.h"

namespace cppgen::passes {

struct PassOptions {
  bool constant_folding = true;  // fold what depends on constants only. Values of up to kAlwaysFolded elements are
                                 // folded even without it: shapes may depend on them.
  bool pattern_matcher = true;   // canonical forms, common subexpressions, batch normalisation into convolutions
  bool freezing = true;          // false: initializers of float type stay as they are, to be replaced at run time
  ir::LibraryTable library;      // for folding of operators that are no loops
  // Called after each pass with its name.
  std::function<void(const char* pass, const Graph&)> trace;
};

inline constexpr int64_t kAlwaysFolded = 1024;

}  // namespace cppgen::passes
