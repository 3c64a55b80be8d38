#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/threads/topology.h"

namespace cppgen::rt {

// One step of a parallel region: run(ctx, chunk, worker) for every chunk in [0, chunks), in any order and on any
// thread. How many chunks there are must not depend on the number of threads, else results would. `worker` is in
// [0, threads) and no two threads inside one region have the same, so that it may index scratch memory.
struct StepView {
  int64_t chunks;
  void (*run)(void* ctx, int64_t chunk, int worker);
  void* ctx;
};

// Runs parallel regions on a fixed number of threads. All members may be called from many threads at once, also from
// inside a chunk. To be destroyed when no run is under way.
class Executor {
 public:
  virtual ~Executor() = default;

  // Runs the steps one after the other; every chunk of a step finishes before the next step begins. Steps of one chunk
  // are run by the thread that finished the step before, without any synchronisation. The calling thread takes part
  // and needs nobody else: it waits only for chunks that another thread has begun.
  //
  // Chunks run with the default floating-point environment (round to nearest, no flush to zero). The first exception
  // that leaves a chunk ends the region: chunks not yet begun are dropped, and it is thrown again here. `stop`, when
  // given and set by anyone, ends the region likewise; then the result is false.
  //
  // Allocates nothing.
  virtual bool run(std::span<const StepView> steps, const std::atomic<bool>* stop = nullptr) = 0;

  virtual int threads() const = 0;
  virtual std::string_view backend() const = 0;  // "tbb", "threads"
};

struct ExecutorOptions {
  int threads = 1;                  // the calling thread included
  int cores = 1;                    // when more threads than this are at work, waiting ones yield at once
  int64_t spin_microseconds = 200;  // how long an idle worker stays hot
  std::vector<CpuSet> bindings{};   // per worker, or none
};

// UserError unless 1 <= threads <= kMaxThreads.
void check_options(const ExecutorOptions& options);
inline constexpr int kMaxThreads = 1024;

// Options from settings: `threads` as THREADS (-1 = default_threads), within the usable machine.
ExecutorOptions executor_options(const Topology& usable, int64_t threads, Affinity affinity, bool smt,
                                 int64_t spin_microseconds);

// Workers from oneTBB, in an arena of this executor's own.
std::unique_ptr<Executor> make_tbb_executor(ExecutorOptions options);

// Workers are threads of this executor's own.
std::unique_ptr<Executor> make_thread_pool_executor(ExecutorOptions options);

// The executor of sessions: oneTBB; the thread pool where ThreadSanitizer watches, since it cannot see into oneTBB.
std::unique_ptr<Executor> make_executor(ExecutorOptions options);

}  // namespace cppgen::rt
