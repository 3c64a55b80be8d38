#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/threads/executor.h"
#include "runtime/threads/region.h"

namespace cppgen::rt {

// The source of helper threads: oneTBB or a pool of our own.
class HelperSource {
 public:
  virtual ~HelperSource() = default;
  // Arranges that `count` more threads call Crew::help() once, at some time. Returns the number for which it could.
  virtual int bring(int count) noexcept = 0;
};

// Runs regions with the helpers that arrive. A helper looks for chunks in all active regions, spins for a while when
// there are none, and leaves; distributing a step requests helpers if too few are present.
class Crew {
 public:
  Crew(ExecutorOptions options, HelperSource& source);

  bool run(std::span<const StepView> steps, const std::atomic<bool>* stop);

  // One visit of a helper thread.
  void help();

  // Dismisses all helpers and waits until they have left; helpers that arrive later leave at once. The source is not
  // used afterwards.
  void dismiss();

  int threads() const { return options_.threads; }

 private:
  // Concurrent runs beyond this number are executed by their calling threads alone.
  static constexpr int kRegions = 16;
  using Seen = std::array<uint64_t, kRegions>;

  int take_region();
  bool run_region(Region& region, std::span<const StepView> steps, const std::atomic<bool>* stop);
  void request_helpers(int64_t chunks);
  void work_while_hot(int worker, Seen& seen);
  bool work_once(int worker, Seen& seen);
  bool new_step_dealt(const Seen& seen) const;
  bool take_worker_id(int& worker);
  void return_worker_id(int worker);
  const CpuSet& binding(int worker) const;
  bool oversubscribed() const { return callers_.load() + present_.load() > options_.cores; }

  const ExecutorOptions options_;
  HelperSource& source_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::atomic<uint32_t> active_{0};  // bit i: region i is in use
  std::atomic<int> callers_{0};
  std::atomic<int> present_{0};  // helpers at work or requested
  std::atomic<bool> dismissed_{false};

  std::mutex mutex_;  // of the ids
  std::condition_variable all_left_;
  std::vector<int> free_ids_;
};

}  // namespace cppgen::rt
