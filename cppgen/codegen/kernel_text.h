#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/options.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/kernel/plan.h"

namespace cppgen::codegen {

// One emitted kernel: its C++ function, and the arguments that a plan's step passes to it.
struct KernelText {
  std::string name;                   // of its own function
  std::string shared;                 // the kernel whose function it uses (share_functions); empty: its own
  std::string comment;                // lines before the function
  std::string linkage;                // the text before `void NAME`
  std::string function;               // the text after it; empty if another kernel's function is used
  std::string written;                // the function of this kernel alone, if it takes part in sharing
  std::vector<ir::BufferId> buffers;  // arguments, inputs then outputs
  int output_count = 0;
  bool calls_runtime = false;         // elementary functions, or contraction tiles of the runtime
  bool calls_functions = false;       // elementary functions, whose headers take as long to parse as all others
  std::vector<ir::IndexExpr> params;  // values of the dimension symbols that it uses, in order, then shared numbers
  kernel::KernelPlan plan;
  std::vector<kernel::FinishedTiles> finished_tiles;  // that its function calls, for all kernels that share it
  // The messages of checks that fail, by id. A kernel with checks has one more parameter after `params`: the id of its
  // first check.
  std::vector<std::string> checks;
  std::vector<std::string> by_lane;  // operations that are executed lane by lane in loops over vectors; sorted

  const std::string& symbol() const { return shared.empty() ? name : shared; }
  bool has_function() const { return !function.empty(); }
  std::string code() const { return has_function() ? linkage + " void " + name + function : ""; }
};

// Kernels whose functions are equal except for the name share the first one's function, so repeated layers are compiled
// once. So do those that differ in numbers (sizes, strides, counts) alone: where these differ, they become parameters
// of the kernels. Returns, for each kernel, the position of the kernel that has its function.
std::vector<size_t> share_functions(std::vector<KernelText>&);

// The #include lines of kernels; with `calls_functions`, also that of elementary functions.
std::string kernel_headers(const std::string& vec_folder, bool calls_functions);

// A source file with these kernels, and the includes and tables of prebuilt tiles that they need.
std::string translation_unit(const std::vector<const KernelText*>&, const std::string& vec_folder);

}  // namespace cppgen::codegen
