#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter.h"
#include "runtime/base/settings.h"

namespace cppgen::passes {

// What folding may still cost. A node's own limits bound no chain: each Concat(t, t) only doubles, forty of them do not
// fit any memory.
struct FoldBudget {
  int64_t bytes = int64_t{1} << 32;  // of constants that are made
  int64_t steps = int64_t{1} << 32;  // of the interpreter
};

struct PassOptions {
  // Fold what depends on constants only. Values of up to kAlwaysFolded elements are folded even without it: shapes may
  // depend on them.
  bool constant_folding = setting_default<SettingId::constant_folding>();
  bool pattern_matcher = true;  // canonical forms, common subexpressions, batch normalisation into convolutions
  bool freezing = true;         // false: initializers of float type stay as they are, to be replaced at run time
  std::shared_ptr<FoldBudget> budget = std::make_shared<FoldBudget>();  // shared by copies of these options
  ir::LibraryTable library;                                             // for folding of operators that are no loops
  // Called after each pass with its name.
  std::function<void(const char* pass, const Graph&)> trace;
};

inline constexpr int64_t kAlwaysFolded = 1024;

}  // namespace cppgen::passes
