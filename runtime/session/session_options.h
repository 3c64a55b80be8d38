#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "runtime/base/setting_default.h"
#include "runtime/memory/allocator.h"
#include "runtime/session/trace_slice.h"

namespace cppgen::rt {

// The settings of the same names, and what they do not say. The C functions of custom operators that `custom_ops`
// describes are loaded, and a model that requires any other is refused.
struct SessionOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/session_settings.def"
  // Called before each step of a model of several plans, whose loops may be infinite. An exception that it throws ends
  // the run.
  std::function<void()> before_step = {};
  // The setting of the same name, but without a limit by default: maximum number of bytes of inputs, outputs, arena and
  // scratch memory of one run of a plan.
  int64_t max_memory = std::numeric_limits<int64_t>::max();
  ChunkListener on_chunks = {};     // called after each run of a plan
  AllocatorPointer allocator = {};  // of the results and the intermediate values of plans

  static SessionOptions from(const Settings&);

  static SessionOptions from_environment();  // from environment_settings()
};

// Maximum number of steps that run at the same time, by MULTISTREAM_MODE.
int64_t concurrent_steps(const SessionOptions&);

// Returns whether intermediate buffers have places in one arena (MEMORY_PLANNING, MEMORY_POOL), and whether buffers
// there take turns (ALLOW_BUFFER_REUSE; NAN_ASSERTS checks each of them after the run of its step).
bool plans_memory(const SessionOptions&);
bool reuses_memory(const SessionOptions&);
bool outputs_in_arena(const SessionOptions&);

// The settings of a run from the environment: CPPGEN_THREADS and the others, their aliases, the profile of the host,
// and the defaults. Applies CPPGEN_LOGLEVEL and logs warnings about variables of other programs. UserError for a
// CPPGEN_ variable with a value that is not allowed. Settings that affect compilation are ignored.
Settings environment_settings();

}  // namespace cppgen::rt
