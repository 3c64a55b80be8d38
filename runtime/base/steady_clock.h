#pragma once
#include <chrono>
#include <cstdint>

namespace cppgen::rt {

// The steady clock, in nanoseconds.
inline int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace cppgen::rt
