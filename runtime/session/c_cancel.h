#pragma once
#include <atomic>

#include "runtime/session/cppgen.h"

// The runtime and the compiler are libraries of their own that share this, so it changes with a minor version only.
struct cppgen_cancel {
  std::atomic<bool> requested{false};
};
static_assert(std::atomic<bool>::is_always_lock_free);  // signal handlers may set it
