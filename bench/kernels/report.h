#pragma once
#include <algorithm>
#include <string>
#include <vector>

namespace cppgen::bench {

struct Result {
  std::string name, description, isa;
  size_t steps = 0;                         // of the model's plan
  double read_gbs = 0, write_gbs = 0;       // measured bandwidth, 1e9 bytes/s
  double memory_ms = 0, arithmetic_ms = 0;  // the two bounds
  double median_ms = 0, best_ms = 0;        // of a run
  double best_memory_ms = 0;                // from the fastest streams: with best_ms, for a machine with other load
  double error = -1;                        // relative to the interpreter; negative: not compared

  double bound_ms() const { return std::max(memory_ms, arithmetic_ms); }
  double ratio() const { return median_ms / bound_ms(); }
  double best_ratio() const { return best_ms / std::max(best_memory_ms, arithmetic_ms); }
};

void print_heading();
void print_row(const Result&);
// runtime_error if the file cannot be written.
void write_json(const std::string& path, const std::vector<Result>&);

}  // namespace cppgen::bench
