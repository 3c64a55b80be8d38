#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/base/setting_default.h"
#include "runtime/threads/topology.h"

namespace cppgen::rt {

// One step of a parallel region: run(ctx, chunk, worker) for every chunk in [0, chunks), in any order and on any
// thread. The number of chunks must not depend on the number of threads, because results would, too. `worker` is in [0,
// threads) and unique among the threads of one region, so it may index scratch memory. A thread usually runs its chunks
// in ascending order, or `backwards`: if it alternates between both, a step finds in the cache what it read last.
struct StepView {
  int64_t chunks;
  void (*run)(void* ctx, int64_t chunk, int worker);
  void* ctx;
  bool backwards = false;
};

// Runs parallel regions on a fixed number of threads. All members may be called from many threads at once, also from
// within a chunk. Must not be destroyed while a run is in progress.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs the steps in order; every chunk of a step finishes before the next step begins. Steps of one chunk are run by
  // the thread that finished the previous step, without synchronisation. The calling thread participates and can
  // complete the region alone: it waits only for chunks that another thread has begun.
  //
  // Chunks run with the default floating-point environment: round to nearest; denormals are flushed to zero only with
  // ExecutorOptions::flush_denormals. The first exception that leaves a chunk ends the region: chunks that have not
  // begun are dropped, and the exception is rethrown here. If `stop` is given, setting it ends the region in the same
  // way; the result is then false.
  //
  // Allocates nothing.
  virtual bool run(std::span<const StepView> steps, const std::atomic<bool>* stop = nullptr) = 0;

  virtual int threads() const = 0;
  virtual std::string_view backend() const = 0;  // "tbb", "threads", "external"
};

struct ExecutorOptions {
  int threads = 1;  // the calling thread included
  int cores = 1;    // if more threads than this are at work, waiting threads yield at once
  // An idle worker spins for so long.
  int64_t spin_microseconds = setting_default<SettingKind::integer>("SPIN_MICROSECONDS");
  std::vector<CpuSet> bindings{};  // one per worker, or empty
  // Denormals in chunks become zero, as operands and as results.
  bool flush_denormals = setting_default<SettingKind::boolean>("FLUSH_DENORMALS");
};

// UserError unless 1 <= threads <= kMaxThreads.
void check_options(const ExecutorOptions& options);
inline constexpr int kMaxThreads = 1024;

// Options from settings, within the usable machine: `threads` is THREADS (-1 = default_threads).
ExecutorOptions executor_options(const Topology& usable, int64_t threads, Affinity affinity, bool smt,
                                 int64_t spin_microseconds);

// Options of `streams` executors on disjoint cores, to which all their workers are bound. THREADS is that of each. One
// stream is the whole machine, bound as AFFINITY says.
std::vector<ExecutorOptions> stream_options(const Topology& usable, int64_t streams, int64_t threads, Affinity affinity,
                                            bool smt, int64_t spin_microseconds);

// An executor whose workers come from oneTBB, in an arena of its own.
std::unique_ptr<Executor> make_tbb_executor(ExecutorOptions options);

// An executor whose workers are threads of its own: as many as the system permits, with a warning if these are fewer.
std::unique_ptr<Executor> make_thread_pool_executor(ExecutorOptions options);

// Has up to `count` other threads of the application each call help(argument) once, soon, even if a run has ended
// meanwhile; must not block. Returns how many calls it arranged.
using ExternalThreads = std::function<int(int count, void (*help)(void* argument), void* argument)>;

// An executor whose workers are threads of the application, at most options.threads - 1 at the same time, bound only
// while they help.
std::unique_ptr<Executor> make_external_executor(ExternalThreads threads, ExecutorOptions options);

// The executor of sessions: oneTBB, or the thread pool under ThreadSanitizer, which cannot see into oneTBB, and where
// the system refuses so many threads, of which the pool uses those that there are.
std::unique_ptr<Executor> make_executor(ExecutorOptions options);

}  // namespace cppgen::rt
