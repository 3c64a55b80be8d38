#pragma once
#include "isa/arch/arch.h"

namespace cppgen::rt {

// Sets the default control word of floating-point arithmetic for the calling thread during its lifetime and restores
// the old one afterwards.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : old_(arch::float_control()) { arch::set_float_control(arch::kDefaultFloatControl); }
  ~DefaultFloatEnvironment() { arch::set_float_control(old_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  arch::FloatControl old_;
};

}  // namespace cppgen::rt
