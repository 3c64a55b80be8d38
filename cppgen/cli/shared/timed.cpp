#include "cppgen/cli/shared/timed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cppgen/cli/shared/command_support.h"

namespace cppgen {

double RunTimes::mean_ms() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(seconds.size()) * 1e3;
}

double RunTimes::median_ms() const {
  const size_t n = seconds.size();
  return (seconds[(n - 1) / 2] + seconds[n / 2]) / 2 * 1e3;
}

double RunTimes::percentile_ms(double share) const {
  const auto rank = size_t(std::ceil(share * double(seconds.size())));
  return seconds[std::max<size_t>(rank, 1) - 1] * 1e3;
}

void Timed::run_until(const RunLimit& limit, RunTimes& times, const CancelToken& cancel) {
  double spent = 0;
  for (int64_t i = 0; i < limit.runs && spent < limit.seconds; i++) {
    times.seconds.push_back(run());
    spent += times.seconds.back();
    throw_if_cancelled(cancel);
  }
  times.wall_s += spent;
}

}  // namespace cppgen
