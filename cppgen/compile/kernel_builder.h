#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/compile/compile_error.h"
#include "cppgen/compile/compile_job.h"
#include "cppgen/compile/compile_options.h"
#include "cppgen/compile/compile_pool.h"
#include "cppgen/compile/kernel_caches.h"
#include "cppgen/compile/toolchain.h"
#include "cppgen/compile/vec_headers.h"
#include "cppgen/support/subprocess.h"

namespace cppgen {

// Turns translation units into loadable shared objects, from the cache or with the compiler. Any number of builders, in
// any number of threads and processes, may share a cache directory; one builder must be used by one thread.
class KernelBuilder {
 public:
  // Finds the compiler (without starting it) and opens the cache. `runner` replaces real processes in tests and must
  // outlive the builder. UserError for a missing compiler or an unsafe cache directory.
  explicit KernelBuilder(CompileOptions options, ProcessRunner* runner = nullptr);
  ~KernelBuilder();

  // One object per job, in the order of the jobs. Misses are compiled by up to options.threads processes at once (1: in
  // the order of the jobs). The first failure kills the others and throws CompileError, or RefusedSource if the source
  // is at fault; Cancelled if options.cancel was set. A cache that cannot be written causes one warning and never fails
  // the build.
  std::vector<CompiledObject> build(const std::vector<CompileJob>& jobs);

  KernelKey key_of(const CompileJob& job) const;
  // The command that compiles the unit, without launchers and files.
  struct Command {
    std::vector<std::string> compiler, flags;
    std::string include_dir;
  };
  Command command_of(const CompileJob& job) { return {toolchain_.command, flags_of(job), headers_.path()}; }
  // nullptr if caching is off.
  KernelCache* cache() { return caches_.own(); }
  const Toolchain& toolchain() const { return toolchain_; }
  ProcessRunner& runner() { return runner_; }
  // SHA-256 over the headers that units include.
  const std::string& headers_hash() const { return headers_.hash(); }
  const std::vector<std::string>& warnings() const { return caches_.warnings(); }

 private:
  struct Unit;
  struct Build;
  std::vector<std::string> flags_of(const CompileJob& job) const;
  bool take_from_cache(Build& build, Unit& unit, bool first_look);
  bool obtain_lock(Unit& unit);
  void revisit_waiting(Build& build);
  void start_ready(Build& build, CompilePool& pool);
  void collect_one(Build& build, CompilePool& pool);
  void finish(Build& build, Unit& unit, CompiledObject object);
  [[noreturn]] void fail(const Unit& unit, const CompilePool::Finished& failure);
  std::string keep_source(const Unit& unit);

  CompileOptions options_;
  std::unique_ptr<ProcessRunner> own_runner_;
  ProcessRunner& runner_;
  Toolchain toolchain_;
  KernelCaches caches_;
  VecHeaders headers_;
};

// build() of a builder that is used once.
std::vector<CompiledObject> build_kernels(const std::vector<CompileJob>& jobs, const CompileOptions& options);

}  // namespace cppgen
