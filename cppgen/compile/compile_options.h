#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cppgen {

class CancelToken;

// Everything that building kernels depends on besides the jobs, as plain values. The driver fills it from the settings
// named in the comments.
struct CompileOptions {
  std::string cxx = "g++";               // CXX: a compiler, or launchers and a compiler ("ccache g++")
  std::string opt_level = "-O3";         // COMPILER_OPT
  std::vector<std::string> extra_flags;  // appended last, so they override the others
  int abi_version = 0;                   // of runtime/abi: kernels of another version are never reused
  std::string include_dir;               // INCLUDE_FROM_SOURCETREE: folder that holds vec/ and runtime/abi/; empty: the
                                         // headers embedded in this library

  int threads = 0;                // COMPILE_THREADS: compiler processes at once; 0: min(32, usable CPUs)
  double timeout_seconds = 3600;  // COMPILE_TIMEOUT_SECONDS of one compiler process
  std::string worker_log_dir;     // WORKER_LOG_PATH: command line and output, one file per job; empty: none

  std::string cache_dir;                        // CACHE_DIR; empty: no cache
  bool use_cache = true;                        // KERNEL_CACHE
  bool recompile = false;                       // RECOMPILE: build and replace
  bool disable_caches = false;                  // FORCE_DISABLE_CACHES: neither read nor write
  double lock_timeout_seconds = 600;            // FILE_LOCK_TIMEOUT
  int64_t cache_size_limit = int64_t{4} << 30;  // CACHE_SIZE_LIMIT in bytes

  std::function<void(int done, int total)> on_progress;  // called on the building thread, from 0 done on
  const CancelToken* cancel = nullptr;                   // set: build() throws Cancelled soon after
};

}  // namespace cppgen
