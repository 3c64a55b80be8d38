#pragma once

namespace cppgen::rt {

// While it lives the calling thread computes with the default SSE/AVX control word: round to nearest even, all
// exceptions masked, denormals neither flushed nor read as zero. Afterwards the thread has its old control word again.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : old_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(kDefault); }
  ~DefaultFloatEnvironment() { __builtin_ia32_ldmxcsr(old_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1F80;
  unsigned old_;
};

}  // namespace cppgen::rt
