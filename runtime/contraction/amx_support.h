#pragma once
#include <string>

namespace cppgen::rt {

// Whether this process may use the matrix tiles of AMX, and if not, why.
struct AmxSupport {
  bool usable;
  std::string reason;
};

// Asks the operating system for permission to use tiles, multiplies small tiles and compares the results with those of
// the emulation. The first call decides for the process; it never raises an exception of the CPU.
const AmxSupport& amx_support();

}  // namespace cppgen::rt
