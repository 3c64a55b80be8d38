#pragma once
#include <string_view>

#include "cppgen/support/subprocess.h"

namespace cppgen {

// Returns whether something else ended the process: a signal that programs do not cause by faults of their own, such as
// SIGKILL (which also the system sends when memory runs out) or SIGTERM, or the same told by a shell, as status 128 +
// N. Such an end says nothing about the program or its input; another attempt may succeed.
bool ended_from_outside(const ProcessResult&);

// Returns whether a program's messages, in the words of LC_ALL=C, say that the machine lacked memory, disk space,
// processes or files, or that the program's own child was killed: likewise not the fault of its input.
bool tells_of_lacking_resources(std::string_view output);

// Either.
bool was_interrupted(const ProcessResult&);

}  // namespace cppgen
