#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>

#include "runtime/threads/executor.h"

namespace cppgen::rt {

// The units of a step that a worker claims before it takes those of others: [begin, end).
struct UnitShare {
  int64_t begin, end;
};
inline UnitShare share_of(int64_t units, int worker, int workers) {
  const auto begin = [&](int64_t w) { return (units * w + workers - 1) / workers; };
  return {begin(worker), begin(worker + 1)};
}

// The shared state of one run of steps. Regions live as long as their executor and are reused, so a late worker may
// read a region at any time; correctness depends on one rule:
//
//   A thread reads the steps only while it holds a claimed chunk that it has not yet counted as finished. Such a chunk
//   keeps its step, and thereby the run, from ending ("pins" it). Distributing a step counts as one more chunk of it.
//
// The chunks of a step are divided into one contiguous share per worker, so that a worker finds in its own cache
// what it wrote in the previous step. A worker claims from its own share first, from its beginning, then from the
// ends of the others. If a step runs backwards, unit numbers are mirrored within the share when they run. A share is
// one 64-bit word (end, next); adding 1 claims chunk `next` if next < end, and the old value alone states what was
// claimed. The thread that finishes the last chunk of a step runs the following one-chunk steps itself and distributes
// the next parallel one: no thread waits for one that has not begun a chunk.
class Region {
 public:
  // One claim takes a unit: one chunk, or several if a step has more chunks than `max_units`. The default is its
  // maximum: the word of a share holds two unit numbers and some spare bits.
  explicit Region(int workers, int64_t max_units = int64_t{1} << 30);

  // Begins a run: the calling thread, worker 0, runs steps until there is nothing left to claim.
  void open(std::span<const StepView> steps, const std::atomic<bool>* stop);

  // Claims and runs chunks until none is left; false if there were none. May run chunks of more than one step.
  // Distributing a step makes `dealt` return a number above all earlier ones.
  bool work(int worker);

  uint64_t dealt() const { return dealt_.load(); }

  // Returns whether the worker's own share has chunks to claim; becomes true first when a step is distributed.
  bool has_work(int worker) const;

  bool finished() const { return finished_.load(); }

  // Sleeps until a step is distributed after number `seen`, or the run has finished.
  void sleep(uint64_t seen);

  // After finished(), ends the run; throws the first exception of a chunk. False if the run was stopped.
  bool close();

  // Called with the number of chunks right after a parallel step has been distributed.
  void set_on_deal(void (*on_deal)(void*, int64_t chunks), void* context);

 private:
  // One cache line, so that a worker that sees new chunks in its share has everything that it needs to begin.
  struct alignas(64) Share {
    std::atomic<uint64_t> word{0};
    size_t step = 0;  // like the region's fields, read only while holding a pinning chunk
    int64_t chunks_per_unit = 1;
    uint32_t ends = 0;  // sum of the first and the last unit
    StepView view{};
  };

  const Share* claim(int worker, uint32_t& unit);
  static bool claim_from(Share& share, uint32_t& unit);
  static bool steal_from(Share& share, uint32_t& unit);
  void run_unit(const Share& share, uint32_t unit, int worker) noexcept;
  void run_chunk(const StepView& step, int64_t chunk, int worker) noexcept;
  int64_t run_claimable(int worker);
  bool count_finished(int64_t done);
  void advance(size_t next, int worker);
  void deal(size_t step);
  void finish();
  void wake_sleeper();
  bool ended() const { return failed_.load(std::memory_order_relaxed) || (stop_ && stop_->load()); }

  // Written by the thread that advances, read by threads that hold a pinning chunk.
  std::span<const StepView> steps_;
  const std::atomic<bool>* stop_ = nullptr;
  std::exception_ptr error_;

  const int workers_;
  const int64_t max_units_;
  std::unique_ptr<Share[]> shares_;
  void (*on_deal_)(void*, int64_t) = nullptr;
  void* on_deal_context_ = nullptr;

  alignas(64) std::atomic<uint64_t> dealt_{0};
  std::atomic<bool> finished_{true};
  std::atomic<bool> failed_{false};
  std::atomic<bool> dropped_{false};
  std::atomic<bool> sleeping_{false};
  std::atomic<uint32_t> wakeups_{0};
  alignas(64) std::atomic<int64_t> unfinished_{0};  // units of the distributed step, plus one for its distribution
};

}  // namespace cppgen::rt
