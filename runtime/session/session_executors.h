#pragma once
#include <memory>
#include <vector>

#include "runtime/session/session_options.h"
#include "runtime/threads/executor.h"

namespace cppgen::rt {

using Executors = std::vector<std::shared_ptr<Executor>>;

// The executors that the options describe, one for each stream. A warning if they have more threads than there are
// CPUs.
Executors executors_for(const SessionOptions&);

}  // namespace cppgen::rt
