#pragma once
#include "isa/arch/arch.h"

namespace cppgen::rt {

// Sets the default control word of floating-point arithmetic, or the one that also treats denormals as zero, for the
// calling thread during its lifetime and restores the old one afterwards.
class FloatEnvironment {
 public:
  explicit FloatEnvironment(bool flush_denormals = false) : old_(arch::float_control()) {
    arch::set_float_control(arch::kDefaultFloatControl | (flush_denormals ? arch::kFlushDenormals : 0));
  }
  ~FloatEnvironment() { arch::set_float_control(old_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  arch::FloatControl old_;
};

}  // namespace cppgen::rt
