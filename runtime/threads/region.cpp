#include "runtime/threads/region.h"

#include <algorithm>
#include <utility>

namespace cppgen::rt {
namespace {

constexpr uint64_t pack(uint32_t next, uint32_t end) { return uint64_t{end} << 32 | next; }
constexpr uint32_t next_of(uint64_t word) { return static_cast<uint32_t>(word); }
constexpr uint32_t end_of(uint64_t word) { return static_cast<uint32_t>(word >> 32); }

}  // namespace

Region::Region(int workers, int64_t max_units)
    : workers_(workers), max_units_(max_units), shares_(std::make_unique<Share[]>(workers)) {}

void Region::set_on_deal(void (*on_deal)(void*, int64_t), void* context) {
  on_deal_ = on_deal;
  on_deal_context_ = context;
}

void Region::open(std::span<const StepView> steps, const std::atomic<bool>* stop) {
  steps_ = steps;
  stop_ = stop;
  dropped_.store(false, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  finished_.store(false, std::memory_order_relaxed);
  advance(0, 0);
}

bool Region::claim_from(Share& share, uint32_t& unit) {
  uint64_t word = share.word.load(std::memory_order_acquire);
  if (next_of(word) >= end_of(word)) return false;
  // Each thread adds at most once to an exhausted share per distributed step, so `next` cannot overflow into `end`.
  word = share.word.fetch_add(1, std::memory_order_acq_rel);
  unit = next_of(word);
  return unit < end_of(word);
}

// The last unit of the share, next to what later workers compute.
bool Region::steal_from(Share& share, uint32_t& unit) {
  uint64_t word = share.word.load(std::memory_order_acquire);
  while (next_of(word) < end_of(word)) {
    unit = end_of(word) - 1;
    if (share.word.compare_exchange_weak(word, pack(next_of(word), unit), std::memory_order_acq_rel)) return true;
  }
  return false;
}

const Region::Share* Region::claim(int worker, uint32_t& unit) {
  if (claim_from(shares_[worker], unit)) return &shares_[worker];
  for (int i = 1, share = worker; i < workers_; ++i) {
    if (++share == workers_) share = 0;
    if (steal_from(shares_[share], unit)) return &shares_[share];
  }
  return nullptr;
}

bool Region::has_work(int worker) const {
  uint64_t word = shares_[worker].word.load(std::memory_order_relaxed);
  return next_of(word) < end_of(word);
}

bool Region::work(int worker) {
  uint32_t unit;
  const Share* share = claim(worker, unit);
  if (!share) return false;
  size_t step = share->step;
  run_unit(*share, unit, worker);
  if (count_finished(1 + run_claimable(worker))) advance(step + 1, worker);
  return true;
}

// The caller pins the step, so these are chunks of the same one. Returns how many units were run.
int64_t Region::run_claimable(int worker) {
  int64_t done = 0;
  uint32_t unit;
  for (const Share* share; (share = claim(worker, unit)); ++done) run_unit(*share, unit, worker);
  return done;
}

// True if these were the last: the step has ended, and this thread continues with the next one.
bool Region::count_finished(int64_t done) { return unfinished_.fetch_sub(done, std::memory_order_acq_rel) == done; }

void Region::run_unit(const Share& share, uint32_t unit, int worker) noexcept {
  if (share.view.backwards) unit = share.ends - unit;
  int64_t begin = unit * share.chunks_per_unit;
  int64_t end = std::min(begin + share.chunks_per_unit, share.view.chunks);
  for (int64_t chunk = begin; chunk < end; ++chunk) run_chunk(share.view, chunk, worker);
}

void Region::run_chunk(const StepView& step, int64_t chunk, int worker) noexcept {
  if (ended()) return dropped_.store(true, std::memory_order_relaxed);
  try {
    step.run(step.ctx, chunk, worker);
  } catch (...) {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
}

// Run by one thread at a time: by the one that finished the step before `next`.
void Region::advance(size_t next, int worker) {
  for (; next < steps_.size(); ++next) {
    if (ended()) {
      dropped_.store(true, std::memory_order_relaxed);
      break;
    }
    if (steps_[next].chunks == 1) run_chunk(steps_[next], 0, worker);
    if (steps_[next].chunks <= 1) continue;
    deal(next);
    if (!count_finished(1 + run_claimable(worker))) return;
  }
  finish();
}

// Others may run all chunks while this thread has not yet written the last share: it pins the step like a chunk does.
void Region::deal(size_t step) {
  int64_t chunks = steps_[step].chunks;
  int64_t chunks_per_unit = (chunks - 1) / max_units_ + 1;
  int64_t units = (chunks - 1) / chunks_per_unit + 1;
  unfinished_.store(units + 1, std::memory_order_relaxed);
  for (int worker = 0; worker < workers_; ++worker) {
    Share& share = shares_[worker];
    const UnitShare own = share_of(units, worker, workers_);
    const auto begin = static_cast<uint32_t>(own.begin), end = static_cast<uint32_t>(own.end);
    share.step = step;
    share.chunks_per_unit = chunks_per_unit;
    share.ends = begin + end - 1;
    share.view = steps_[step];
    share.word.store(pack(begin, end), std::memory_order_release);
  }
  dealt_.fetch_add(1);
  wake_sleeper();
  if (on_deal_) on_deal_(on_deal_context_, chunks);
}

void Region::finish() {
  finished_.store(true);
  wake_sleeper();
}

// Sequentially consistent operations on both sides: either the sleeper sees the new step, or it is seen sleeping.
void Region::wake_sleeper() {
  if (!sleeping_.load()) return;
  wakeups_.fetch_add(1);
  wakeups_.notify_all();
}

void Region::sleep(uint64_t seen) {
  uint32_t wakeups = wakeups_.load();
  sleeping_.store(true);
  while (!finished() && dealt() == seen) {
    wakeups_.wait(wakeups);
    wakeups = wakeups_.load();
  }
  sleeping_.store(false);
}

bool Region::close() {
  steps_ = {};
  stop_ = nullptr;
  if (std::exception_ptr error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
  return !dropped_.load(std::memory_order_relaxed);
}

}  // namespace cppgen::rt
