#include "cppgen/flow/costs/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cppgen/flow/explain/explain.h"
#include "runtime/library/chunks.h"
#include "runtime/threads/region.h"

namespace cppgen {
namespace {

using Step = Explanation::Step;

// Chunks that no thread has claimed, by whose share they are in.
class UnclaimedChunks {
 public:
  UnclaimedChunks(int64_t chunks, int threads) {
    for (int t = 0; t < threads; t++) shares_.push_back(rt::share_of(chunks, t, threads));
  }

  // The first of its own, else the last of the next thread that has some; -1 if there are none.
  int64_t claim(size_t thread) {
    if (shares_[thread].begin < shares_[thread].end) return shares_[thread].begin++;
    for (size_t i = 1; i < shares_.size(); i++) {
      rt::UnitShare& other = shares_[(thread + i) % shares_.size()];
      if (other.begin < other.end) return --other.end;
    }
    return -1;
  }

 private:
  std::vector<rt::UnitShare> shares_;
};

// The part of the groups of panels that units [begin, end) of a step read.
double groups_read(const StepDivision& division, int64_t units, int64_t begin, int64_t end) {
  const auto groups = int64_t(division.groups), rows = std::max(int64_t{1}, units / groups);
  if (begin >= end) return 0;
  const int64_t read = division.by_columns ? (end - 1) / rows - begin / rows + 1 : end - begin;
  return double(std::min(read, groups)) / double(groups);
}

// Returns how many threads, or groups of `together` neighbouring threads, read each byte of a step's constants.
double readers_of_constants(const StepDivision& division, int64_t units, int64_t chunks, int threads, int together) {
  if (division.left_bytes == 0) return 1;
  double readers = 0;
  const auto first_unit = [&](int thread) {
    const int64_t chunk = rt::share_of(chunks, thread, threads).begin;
    return chunk < chunks ? rt::chunk_range(units, chunks, chunk).begin : units;
  };
  for (int t = 0; t < threads; t += together)
    readers += groups_read(division, units, first_unit(t), first_unit(std::min(t + together, threads)));
  return std::max(1.0, readers);
}

// Bytes that take as long to exchange among threads, at their rate, as what they exchange. What was fitted to two
// threads is extended: of operands that all read, each reads what all others wrote, but neighbours on one last-level
// cache bring it there once for all of them; of other data, each reads the part that others had.
double exchanged_bytes(const StepCost& cost, const StepDivision& division, int threads, const MachineModel& machine,
                       const MachinePeaks& peaks) {
  const double read_by_all = double(machine.costs.read_by_all) / 10;
  if (threads < 2) return 0;
  const double by_all = division.by_columns ? std::min(cost.exchanged, read_by_all * division.left_bytes) : 0;
  const double across = 1 / std::min<double>(threads, std::max(1.0, machine.number("l3_cores")));
  const double ns = (1 - across) / machine.number("exchange") + across / (last_level_caches(machine, threads) > 1
                                                                              ? machine.number("exchange_across")
                                                                              : machine.number("exchange"));
  return by_all * (threads - 1) * ns * peaks.exchange_gb_per_second +
         (cost.exchanged - by_all) * 2 * (threads - 1) / threads;
}

class ScaledSteps {
 public:
  explicit ScaledSteps(const MachineModel& machine) : machine_(machine) {}

  struct Time {
    StepBound bound;
    int workers = 1;  // threads that have chunks
    double busy = 1;  // of the time of these
  };

  Time on(const Step& step, int threads) {
    Time time;
    const auto chunks = std::max(int64_t{1}, int64_t(step.cost.chunks));
    const auto units = std::max(chunks, int64_t(step.cost.units));
    time.workers = int(std::min<int64_t>(threads, chunks));
    const double most = double(most_units(units, chunks, time.workers));
    time.busy = double(units) / (most * time.workers);
    const MachinePeaks& reached = peaks(time.workers);
    const int on_cache = std::max(1, int(machine_.number("l3_cores")));
    const StepSharing sharing{.busy = time.busy,
                              .readers = readers_of_constants(step.division, units, chunks, time.workers, 1),
                              .caches = readers_of_constants(step.division, units, chunks, time.workers, on_cache),
                              .exchanged = exchanged_bytes(step.cost, step.division, time.workers, machine_, reached),
                              .further_start_ns = further_start_ns(time.workers)};
    time.bound = bound_of(step.cost, step.run_bytes, reached, machine_.costs, sharing);
    return time;
  }

 private:
  const MachineModel& machine_;
  std::map<int, MachinePeaks> peaks_;  // whose names the bounds refer to

  const MachinePeaks& peaks(int threads) {
    const auto found = peaks_.find(threads);
    return found != peaks_.end() ? found->second : peaks_.emplace(threads, peaks_on(machine_, threads)).first->second;
  }
  double further_start_ns(int workers) {
    return workers > 2 ? machine_.costs.further_round_trip * (workers - 2) * peaks(workers).round_trip_ns : 0;
  }
};

std::string text_of_units(const Step& step, const ScaledSteps::Time& time, int threads) {
  const auto units = int64_t(step.cost.units), chunks = int64_t(step.cost.chunks);
  if (step.kernel < 0) return "a function of the library, which counts as one chunk";
  if (units < threads)
    return fmt::format("only {} for {} threads", units == 1 ? "1 unit" : fmt::format("{} units", units), threads);
  if (time.workers < threads)
    return fmt::format("too short for more than {}", chunks == 1 ? "1 chunk" : fmt::format("{} chunks", chunks));
  return fmt::format("{} units in {} chunks are uneven for {} threads", units, chunks, threads);
}

// The greatest of the reasons why a step takes longer than its part of the time on one thread.
std::string reason(const Step& step, const ScaledSteps::Time& one, const ScaledSteps::Time& time, int threads) {
  const StepBound &alone = one.bound, &shared = time.bound;
  const double idle = (shared.predicted_ns - shared.start_ns) * (1 - time.busy * time.workers / threads);
  const std::pair<double, std::string> reasons[] = {
      {idle, text_of_units(step, time, threads)},
      {shared.start_ns - alone.start_ns / threads, fmt::format("start of the step ({:.1f} us)", shared.start_ns / 1e3)},
      {shared.exchange_ns, "data in the caches of other threads"},
      {shared.waiting_ns - alone.waiting_ns / threads, fmt::format("bandwidth of {}", shared.level)}};
  return std::max_element(std::begin(reasons), std::end(reasons), [](auto& a, auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace

double finish_time(int64_t units, int64_t chunks, const std::vector<double>& speeds) {
  UnclaimedChunks unclaimed(chunks, int(speeds.size()));
  std::vector<double> free_at(speeds.size());  // infinite once a thread has found no chunk
  double last = 0;
  while (true) {
    const auto next = std::min_element(free_at.begin(), free_at.end());
    const auto thread = size_t(next - free_at.begin());
    if (std::isinf(*next)) return last;
    const int64_t chunk = unclaimed.claim(thread);
    if (chunk < 0) {
      *next = INFINITY;
      continue;
    }
    const rt::ChunkRange range = rt::chunk_range(units, chunks, chunk);
    *next += double(range.end - range.begin) / speeds[thread];
    last = std::max(last, *next);
  }
}

int64_t most_units(int64_t units, int64_t chunks, int threads) {
  return int64_t(finish_time(units, chunks, std::vector<double>(size_t(threads), 1.0)));
}

Scaling scaling_of(const Explanation& explanation, const MachineModel& machine, const std::vector<int>& threads) {
  Scaling scaling;
  scaling.machine = machine, scaling.most_threads = *std::max_element(threads.begin(), threads.end());
  ScaledSteps scaled(machine);
  std::map<int, double> ns{{1, 0}};
  for (const int n : threads) ns[n] = 0;
  for (size_t i = 0; i < explanation.steps.size(); i++) {
    const Step& step = explanation.steps[i];
    if (!step.bound) continue;  // on the host
    scaling.library_steps += step.kernel < 0;
    for (auto& [n, sum] : ns) sum += step.cost.calls * scaled.on(step, n).bound.predicted_ns;
    const ScaledSteps::Time one = scaled.on(step, 1), most = scaled.on(step, scaling.most_threads);
    const double lost = most.bound.predicted_ns - one.bound.predicted_ns / scaling.most_threads;
    if (lost > 0 && scaling.most_threads > 1)
      scaling.losses.push_back({i, step.cost.calls * lost / 1e6, reason(step, one, most, scaling.most_threads)});
  }
  for (const int n : threads) scaling.rows.push_back({n, ns[n] / 1e6, ns[n] > 0 ? ns[1] / ns[n] : 1});
  std::stable_sort(scaling.losses.begin(), scaling.losses.end(),
                   [](const auto& a, const auto& b) { return a.ms > b.ms; });
  return scaling;
}

}  // namespace cppgen
