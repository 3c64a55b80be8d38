#include "bench/kernels/report.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace cppgen::bench {

void print_heading() {
  fmt::print("{:<18} {:>5} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>7} {:>7}\n", "model", "steps", "rd GB/s",
             "wr GB/s", "memory ms", "math ms", "median ms", "best ms", "ratio", "best");
}

void print_row(const Result& r) {
  fmt::print("{:<18} {:>5} {:>8.2f} {:>8.2f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>7.2f} {:>7.2f}{}\n", r.name,
             r.steps, r.read_gbs, r.write_gbs, r.memory_ms, r.arithmetic_ms, r.median_ms, r.best_ms, r.ratio(),
             r.best_ratio(), r.error < 0 ? "" : fmt::format("   error {:.1e}", r.error));
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Result>& results) {
  auto list = nlohmann::ordered_json::array();
  for (const Result& r : results) {
    nlohmann::ordered_json row = {{"name", r.name},
                                  {"description", r.description},
                                  {"isa", r.isa},
                                  {"steps", r.steps},
                                  {"read_gb_per_s", r.read_gbs},
                                  {"write_gb_per_s", r.write_gbs},
                                  {"memory_bound_ms", r.memory_ms},
                                  {"arithmetic_bound_ms", r.arithmetic_ms},
                                  {"median_ms", r.median_ms},
                                  {"best_ms", r.best_ms},
                                  {"ratio", r.ratio()},
                                  {"best_memory_bound_ms", r.best_memory_ms},
                                  {"best_ratio", r.best_ratio()}};
    if (r.error >= 0) row["relative_error"] = r.error;
    list.push_back(std::move(row));
  }
  std::ofstream file(path);
  file << nlohmann::ordered_json{{"results", std::move(list)}}.dump(2) << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace cppgen::bench
