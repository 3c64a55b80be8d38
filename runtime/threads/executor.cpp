#include "runtime/threads/executor.h"

#include <algorithm>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/base/errors.h"

namespace cppgen::rt {

void check_options(const ExecutorOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads)
    user_error("THREADS: {} is not allowed; allowed: 1 to {}", options.threads, kMaxThreads);
  check(options.bindings.empty() || static_cast<int>(options.bindings.size()) >= options.threads,
        "ExecutorOptions: there are fewer bindings than threads");
}

ExecutorOptions executor_options(const Topology& usable, int64_t threads, Affinity affinity, bool smt,
                                 int64_t spin_microseconds) {
  ExecutorOptions options;
  options.cores = default_threads(usable, smt);
  options.threads = threads == -1 ? options.cores : static_cast<int>(std::clamp<int64_t>(threads, 0, kMaxThreads + 1));
  options.spin_microseconds = spin_microseconds;
  options.bindings = binding_sets(usable, affinity, options.threads);
  check_options(options);
  return options;
}

std::vector<ExecutorOptions> stream_options(const Topology& usable, int64_t streams, int64_t threads, Affinity affinity,
                                            bool smt, int64_t spin_microseconds) {
  if (streams == 1) return {executor_options(usable, threads, affinity, smt, spin_microseconds)};
  std::vector<ExecutorOptions> all;
  for (const Topology& part : split_cores(usable, static_cast<int>(streams))) {
    ExecutorOptions options = executor_options(part, threads, affinity, smt, spin_microseconds);
    CpuSet cpus;
    for (const ProcessingUnit& unit : part.units) cpus.push_back(unit.cpu);
    std::sort(cpus.begin(), cpus.end());
    if (affinity == Affinity::none) options.bindings.assign(static_cast<size_t>(options.threads), cpus);
    all.push_back(std::move(options));
  }
  return all;
}

// Returns whether the system lets this process have so many more threads at once, and a few to spare.
static bool may_start_threads(int count) {
  constexpr int kSpare = 2;
  std::vector<std::thread> threads;
  threads.reserve(size_t(count + kSpare));
  std::latch all_tried(1);
  bool may = true;
  try {
    while (threads.size() < threads.capacity()) threads.emplace_back([&] { all_tried.wait(); });
  } catch (const std::system_error&) {
    may = false;
  }
  all_tried.count_down();
  for (std::thread& thread : threads) thread.join();
  return may;
}

std::unique_ptr<Executor> make_executor(ExecutorOptions options) {
#ifdef __SANITIZE_THREAD__
  return make_thread_pool_executor(std::move(options));
#else
  // oneTBB ends the process if one of its workers cannot start another.
  if (options.threads > 1 && !may_start_threads(options.threads - 1))
    return make_thread_pool_executor(std::move(options));
  return make_tbb_executor(std::move(options));
#endif
}

}  // namespace cppgen::rt
