#include "bench/report/samples.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace cppgen::bench {

double Samples::rank(double share) const {
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const auto nearest = size_t(std::ceil(share * double(sorted.size())));
  return sorted.at(std::max<size_t>(nearest, 1) - 1);
}

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (double v : values) logarithms += std::log(v);
  return values.empty() ? 0 : std::exp(logarithms / double(values.size()));
}

nlohmann::ordered_json times_json(const Samples& seconds) {
  return {{"runs", seconds.count()},
          {"median_ms", seconds.median() * 1e3},
          {"min_ms", seconds.least() * 1e3},
          {"p99_ms", seconds.p99() * 1e3}};
}

void write_text_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace cppgen::bench
