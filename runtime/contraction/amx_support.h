#pragma once
#include <string>

namespace cppgen::rt {

// States whether this process may use AMX's matrix tiles, and if not, the reason.
struct AmxSupport {
  bool usable;
  std::string reason;
};

// Requests permission from the operating system to use tiles, multiplies small tiles and compares the results with
// those of the emulation. The first call decides for the process; it never raises a CPU exception.
const AmxSupport& amx_support();

}  // namespace cppgen::rt
