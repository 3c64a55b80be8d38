#pragma once
#include <cstdint>

#include "runtime/base/errors.h"

namespace cppgen {

// Arithmetic on sizes that come from a model or an input: overflow is a UserError naming `what`.
inline int64_t checked_mul(int64_t a, int64_t b, const char* what) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) user_error("{}: {} x {} overflows 64 bits", what, a, b);
  return r;
}

inline int64_t checked_add(int64_t a, int64_t b, const char* what) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) user_error("{}: {} + {} overflows 64 bits", what, a, b);
  return r;
}

}  // namespace cppgen
