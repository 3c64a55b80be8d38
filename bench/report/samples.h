#pragma once
#include <nlohmann/json.hpp>
#include <vector>

namespace cppgen::bench {

// Repeated measurements of one quantity.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  void add(const Samples& others) { values_.insert(values_.end(), others.values_.begin(), others.values_.end()); }
  bool empty() const { return values_.empty(); }
  size_t count() const { return values_.size(); }

  // Requires at least one value. A rank is the nearest one, as in "99% of the values are at most this".
  double least() const { return rank(0); }
  double most() const { return rank(1); }
  double median() const { return rank(0.5); }
  double p99() const { return rank(0.99); }

 private:
  std::vector<double> values_;
  double rank(double share) const;
};

// 0 for none.
double geometric_mean(const std::vector<double>& values);

// {"runs", "median_ms", "min_ms", "p99_ms"} of samples in seconds.
nlohmann::ordered_json times_json(const Samples&);

// runtime_error if the file cannot be written.
void write_text_file(const std::string& path, const std::string& text);

}  // namespace cppgen::bench
