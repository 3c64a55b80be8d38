#pragma once
#include <future>
#include <vector>

#include "cppgen/compile/compile_options.h"
#include "isa/vec_isa.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The best instruction set that the settings allow and the CPU reports. UserError for settings that contradict each
// other or the CPU. If ISA is a list of which this CPU has none, the most preferred one of the list.
const VecISA& likely_isa(const Settings&);

// Those that ISA lists, each of which a package is compiled for; otherwise the likely one. UserError likewise, but a
// list is for several machines: it may name instruction sets that this CPU lacks.
std::vector<const VecISA*> possible_isas(const Settings&);

// Sets ISA to one of those that it lists. If this CPU lacks it, VEC_ISA_OK becomes 1, because it cannot be verified
// here.
void choose_isa(Settings&, const std::string& isa);

// The instruction set to compile for. Unless VEC_ISA_OK is set, it is verified by compiling and running a program, once
// per machine and compiler. This takes as long as compiling a unit of kernels, so it runs concurrently while the caller
// works with the likely instruction set.
class IsaChoice {
 public:
  IsaChoice(const Settings&, const CompileOptions&);

  const VecISA& likely() const { return likely_; }
  // Waits for the verification. If the likely instruction set fails, returns the next lower one that passes, with a
  // warning, or throws UserError if the settings request this one.
  const VecISA& settled() const { return settled_.get(); }

 private:
  const VecISA& likely_;
  std::shared_future<const VecISA&> settled_;
};

// Variables such as CXX are set for other builds: if such a variable names a compiler that is missing or cannot build
// kernels, restores the default with a warning.
void settle_foreign_compiler(Settings&);

}  // namespace cppgen
