#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "runtime/base/settings.h"
#include "runtime/session/trace_slice.h"

namespace cppgen::rt {

// The settings of the same names, and values that are derived from other settings.
struct SessionOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  int64_t streams = 1;  // maximum number of concurrent steps: 1 + MULTISTREAM_EXTRA_STREAMS with MULTISTREAM_MODE
  // Called before each step of a model of several plans, whose loops may be infinite. An exception that it throws ends
  // the run.
  std::function<void()> before_step = {};
  // MAX_MEMORY: maximum number of bytes of inputs, outputs, arena and scratch memory of one run of a plan.
  int64_t max_memory = std::numeric_limits<int64_t>::max();

  // CUSTOM_OPS: paths of descriptions, separated by ':'. The C functions of custom operators that are described there
  // are loaded, and a model that requires any other is refused.
  std::string custom_operators = {};

  std::string args_folder = {};  // where SAVE_ARGS saves
  ChunkListener on_chunks = {};  // called after each run of a plan

  static SessionOptions from(const Settings&);

  static SessionOptions from_environment();  // from environment_settings()
};

// The settings of a run from the environment: CPPGEN_THREADS and the others, their aliases, the profile of the host,
// and the defaults. Applies CPPGEN_LOGLEVEL and logs warnings about variables of other programs. UserError for a
// CPPGEN_ variable with a value that is not allowed. Settings that affect compilation are ignored.
Settings environment_settings();

}  // namespace cppgen::rt
