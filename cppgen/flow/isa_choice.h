#pragma once
#include <future>

#include "cppgen/compile/compile_options.h"
#include "isa/vec_isa.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The best instruction set that the settings allow and the CPU names. UserError for settings that contradict each other
// or the CPU.
const VecISA& likely_isa(const Settings&);

// The instruction set to compile for. Unless VEC_ISA_OK is set, a program that is compiled and run proves it, once per
// machine and compiler. That takes as long as a unit of kernels, so it happens beside whatever the caller does with the
// likely one.
class IsaChoice {
 public:
  IsaChoice(const Settings&, const CompileOptions&);

  const VecISA& likely() const { return likely_; }
  // Waits for the proof. Where the likely one fails: the next lower one that passes, with a warning, or UserError if
  // the settings ask for just this one.
  const VecISA& settled() const { return settled_.get(); }

 private:
  const VecISA& likely_;
  std::shared_future<const VecISA&> settled_;
};

// CXX and the like are set for other builds than ours: where such a variable names a compiler that is missing or
// cannot build kernels, takes the default with a warning.
void settle_foreign_compiler(Settings&);

}  // namespace cppgen
