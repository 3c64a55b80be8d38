#pragma once
#include <string>
#include <vector>

#include "cppgen/codegen/options.h"
#include "cppgen/ir/program.h"
#include "cppgen/kernel/plan.h"

namespace cppgen::codegen {

// One emitted kernel: its C++ function and what a plan's step must pass to it.
struct KernelText {
  std::string name;                   // symbol
  std::string comment;                // lines in front of the function
  std::string linkage;                // what stands in front of `void NAME`
  std::string function;               // what stands behind; empty: the function of this name is an earlier kernel's
  std::vector<ir::BufferId> buffers;  // arguments, inputs then outputs
  int output_count = 0;
  bool calls_runtime = false;         // elementary functions, or contraction tiles of the runtime
  std::vector<ir::IndexExpr> params;  // values of the dimension symbols that it uses, in order
  kernel::KernelPlan plan;
  // What went wrong, by id, when an index check fails. With checks the kernel takes one more parameter, after `params`:
  // the number by which its ids are shifted.
  std::vector<std::string> checks;
  std::vector<std::string> by_lane;  // what is done lane by lane where all else is done with vectors; sorted

  bool has_function() const { return !function.empty(); }
  std::string code() const { return has_function() ? linkage + " void " + name + function : ""; }
};

// Writes a planned kernel. The text is the same for every ISA but for the numbers in its plan; includes are added by
// translation_unit(). Equal kernels give equal text.
KernelText emit_kernel(const kernel::KernelView&, kernel::KernelPlan, const Options&);

// Gives kernels whose functions are equal but for the name the first one's function: repeated layers are compiled once.
// Returns for each kernel the position of the one that holds its function.
std::vector<size_t> share_functions(std::vector<KernelText>&);

// The lines that include what kernels use; with what those need that call the runtime, or without.
std::string kernel_headers(const std::string& vec_folder, bool calls_runtime);

// A source file that holds these kernels, and includes what they need.
std::string translation_unit(const std::vector<const KernelText*>&, const std::string& vec_folder);

}  // namespace cppgen::codegen
