#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "runtime/base/setting_default.h"

namespace cppgen::passes {

// The remaining budget of folding. The limits of a single node do not bound chains: each Concat(t, t) only doubles its
// input, but forty of them exceed any memory.
struct FoldBudget {
  int64_t bytes = int64_t{1} << 32;  // of constants that are created
  int64_t steps = int64_t{1} << 32;  // of the interpreter
};

// The settings of the same names, and further options.
struct PassOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_PASS_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  std::vector<std::string> disabled;  // names of passes that are skipped, none of which is needed
  std::shared_ptr<FoldBudget> budget = std::make_shared<FoldBudget>();  // shared by copies of these options
  ir::LibraryTable library;                                             // for folding operators that are not loop nests
  // Called after each pass with its name.
  std::function<void(const char* pass, const Graph&)> trace;
};

// Constant values of up to this many elements are folded whatever the options say: shapes may depend on them.
inline constexpr int64_t kAlwaysFolded = 1024;

}  // namespace cppgen::passes
