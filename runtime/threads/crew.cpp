#include "runtime/threads/crew.h"

#include <algorithm>
#include <bit>

#include "runtime/base/condition_wait.h"
#include "runtime/threads/backoff.h"
#include "runtime/threads/binding.h"
#include "runtime/threads/float_environment.h"

namespace cppgen::rt {
namespace {

bool run_alone(std::span<const StepView> steps, const std::atomic<bool>* stop) {
  for (const StepView& step : steps) {
    for (int64_t chunk = 0; chunk < step.chunks; ++chunk) {
      if (stop && stop->load()) return false;
      step.run(step.ctx, step.backwards ? step.chunks - 1 - chunk : chunk, 0);
    }
  }
  return true;
}

// Chunks of the first step that can use helpers, or 0.
int64_t first_parallel_chunks(std::span<const StepView> steps) {
  auto it = std::find_if(steps.begin(), steps.end(), [](const StepView& step) { return step.chunks > 1; });
  return it == steps.end() ? 0 : it->chunks;
}

template <class Action>
class AtExit {
 public:
  explicit AtExit(Action action) : action_(action) {}
  ~AtExit() { action_(); }

 private:
  Action action_;
};

}  // namespace

Crew::Crew(ExecutorOptions options, HelperSource& source) : options_(std::move(options)), source_(source) {
  for (int i = 0; i < kRegions; ++i) {
    regions_.push_back(std::make_unique<Region>(options_.threads));
    regions_[i]->set_on_deal([](void* crew, int64_t chunks) { static_cast<Crew*>(crew)->request_helpers(chunks); },
                             this);
  }
  for (int worker = options_.threads - 1; worker > 0; --worker) free_ids_.push_back(worker);
}

bool Crew::run(std::span<const StepView> steps, const std::atomic<bool>* stop) {
  FloatEnvironment environment(options_.flush_denormals);
  ScopedBinding bound(binding(0));
  int64_t chunks = options_.threads > 1 ? first_parallel_chunks(steps) : 0;
  int slot = chunks > 1 ? take_region() : -1;
  if (slot < 0) return run_alone(steps, stop);
  AtExit release([&] {
    callers_.fetch_sub(1);
    active_.fetch_and(~(1u << slot));
  });
  callers_.fetch_add(1);
  request_helpers(chunks);
  return run_region(*regions_[slot], steps, stop);
}

bool Crew::run_region(Region& region, std::span<const StepView> steps, const std::atomic<bool>* stop) {
  region.open(steps, stop);
  Backoff backoff(std::chrono::microseconds(options_.spin_microseconds), oversubscribed());
  while (true) {
    uint64_t seen = region.dealt();
    if (region.work(0)) {
      backoff.reset();
    } else if (region.finished()) {
      return region.close();
    } else if (!backoff.pause()) {
      region.sleep(seen);
      backoff.reset();
    }
  }
}

int Crew::take_region() {
  uint32_t active = active_.load();
  while (true) {
    int slot = std::countr_one(active);
    if (slot >= kRegions) return -1;
    if (active_.compare_exchange_weak(active, active | 1u << slot)) return slot;
  }
}

void Crew::request_helpers(int64_t chunks) {
  int wanted = static_cast<int>(std::min<int64_t>(options_.threads, chunks)) - 1;
  int present = present_.load();
  while (present < wanted) {
    if (!present_.compare_exchange_weak(present, wanted)) continue;
    int missing = wanted - present;
    present_.fetch_sub(missing - source_.bring(missing));
    return;
  }
}

void Crew::help() {
  int worker = 0;
  if (!take_worker_id(worker)) {
    present_.fetch_sub(1);
    return;
  }
  {
    FloatEnvironment environment(options_.flush_denormals);
    ScopedBinding bound(binding(worker));
    Seen seen{};
    // A step that was distributed while this helper still counted as present requested no replacement, so the helper
    // checks again.
    do {
      work_while_hot(worker, seen);
      present_.fetch_sub(1);
    } while (!dismissed_.load() && new_step_dealt(seen) && (present_.fetch_add(1), true));
  }
  return_worker_id(worker);
}

void Crew::work_while_hot(int worker, Seen& seen) {
  Backoff backoff(std::chrono::microseconds(options_.spin_microseconds), oversubscribed());
  while (!dismissed_.load(std::memory_order_relaxed)) {
    if (work_once(worker, seen)) {
      backoff.reset();
    } else if (!backoff.pause()) {
      return;
    }
  }
}

bool Crew::work_once(int worker, Seen& seen) {
  bool worked = false;
  for (uint32_t active = active_.load(std::memory_order_acquire); active; active &= active - 1) {
    int slot = std::countr_zero(active);
    Region& region = *regions_[slot];
    if (!region.has_work(worker)) {
      uint64_t dealt = region.dealt();
      if (dealt == seen[slot]) continue;
      seen[slot] = dealt;
    }
    worked |= region.work(worker);
  }
  return worked;
}

bool Crew::new_step_dealt(const Seen& seen) const {
  for (uint32_t active = active_.load(); active; active &= active - 1) {
    int slot = std::countr_zero(active);
    if (regions_[slot]->dealt() != seen[slot]) return true;
  }
  return false;
}

const CpuSet& Crew::binding(int worker) const {
  static const CpuSet unbound;
  return options_.bindings.empty() ? unbound : options_.bindings[worker];
}

bool Crew::take_worker_id(int& worker) {
  std::lock_guard lock(mutex_);
  if (dismissed_.load() || free_ids_.empty()) return false;
  worker = free_ids_.back();
  free_ids_.pop_back();
  return true;
}

void Crew::return_worker_id(int worker) {
  std::lock_guard lock(mutex_);
  free_ids_.push_back(worker);
  all_left_.notify_all();
}

void Crew::dismiss() {
  std::unique_lock lock(mutex_);
  dismissed_.store(true);
  wait_until_true(all_left_, lock, [&] { return static_cast<int>(free_ids_.size()) == options_.threads - 1; });
}

}  // namespace cppgen::rt
