#include "bench/report/turns.h"

#include <algorithm>
#include <cmath>

namespace cppgen::bench {
namespace {

constexpr double kWarmUpSeconds = 0.1, kTurnSeconds = 0.05;
constexpr int64_t kMostRuns = 5000;

// Runs until caches, page tables and the CPU's frequency have settled. Returns the least time of a run.
double warm_up(Timed& timed) {
  double least = HUGE_VAL, spent = 0;
  while (spent < kWarmUpSeconds) {
    const double seconds = timed.run();
    least = std::min(least, seconds), spent += seconds;
  }
  timed.rest();
  return least;
}

struct Share {
  int64_t runs, per_turn;
};

Share share_of(double seconds_per_run, const TurnOptions& options) {
  const double fit = options.seconds / std::max(seconds_per_run, 1e-7);
  const int64_t runs = std::clamp(int64_t(fit), options.least_runs, std::max(kMostRuns, options.least_runs));
  const auto fit_in_turn = int64_t(std::ceil(kTurnSeconds / std::max(seconds_per_run, 1e-7)));
  return {runs, std::clamp<int64_t>(fit_in_turn, 1, std::max<int64_t>(runs / options.least_turns, 1))};
}

}  // namespace

std::vector<Samples> time_in_turns(const std::vector<Timed*>& all, const TurnOptions& options) {
  std::vector<Share> shares;
  for (Timed* timed : all) shares.push_back(share_of(warm_up(*timed), options));
  std::vector<Samples> samples(all.size());
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < all.size(); i++) {
      all[i]->run();
      for (int64_t r = 0; r < shares[i].per_turn; r++) samples[i].add(all[i]->run());
      all[i]->rest();
      more = more || int64_t(samples[i].count()) < shares[i].runs;
    }
  }
  return samples;
}

}  // namespace cppgen::bench
