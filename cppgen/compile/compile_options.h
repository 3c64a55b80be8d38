#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/support/remote_store.h"
#include "runtime/base/setting_default.h"

namespace cppgen {

class CancelToken;

// Everything that building kernels depends on besides the jobs, as plain values. First come the settings of the same
// names: cxx may be a compiler, or launchers and a compiler ("ccache g++"); an empty cache_dir means no cache, an empty
// worker_log_path no logs; compile_timeout_seconds is the limit of one compiler process.
struct CompileOptions {
#define CPPGEN_SETTING(...)
#define CPPGEN_COMPILE_SETTING CPPGEN_SETTING_MEMBER
#include "runtime/base/settings.def"
  std::vector<std::string> extra_flags;  // appended last, so they override the others
  int abi_version = 0;                   // of runtime/abi: kernels of another version are never reused
  std::string include_dir;  // folder that holds vec/ and runtime/abi/; empty: the headers embedded in this library
  std::string asm_dir;      // for what asm_info.h writes; empty: nothing
  std::optional<RemoteAddress> remote_cache;  // REMOTE_CACHE, which is used together with cache_dir
  std::vector<std::string> log_dirs;          // folders that get the same logs as worker_log_path

  std::function<void(int done, int total)> on_progress;  // called on the building thread, starting with 0 done
  const CancelToken* cancel = nullptr;                   // set: build() throws Cancelled soon after
};

}  // namespace cppgen
