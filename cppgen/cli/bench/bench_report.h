#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/bench/bench_baseline.h"
#include "cppgen/cli/bench/bench_child.h"
#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/command_options.h"
#include "runtime/base/json_text.h"
#include "runtime/session/session.h"
#include "runtime/values/compare.h"
#include "runtime/values/value.h"

namespace cppgen {

// The measurements of `cppgen bench`.
struct Against {
  std::unique_ptr<Baseline> baseline;
  RunTimes times;
  rt::VerifyReport agreement;  // of its outputs with ours
};

struct BenchResult {
  RunTimes times;
  Load load;
  double compile_s = 0;  // to the first result, without what weights take
  int64_t clients = 1;
  std::optional<int64_t> batch;  // items of one run
  FreshProcess fresh;
  rt::SessionStats stats;
  std::vector<Against> against;
};

// The time from opening the model to its first result, without what weights take.
double compile_seconds(const TimedModel&);

// Returns whether all kernels were compiled for this model, none taken from a cache.
bool is_cold(const CompileReport&);

// The size of the batch dimension: the first one, if it is the same in all inputs and outputs that have dimensions.
// None for models with values that are not tensors.
std::optional<int64_t> batch_of(const TimedModel&, const std::vector<rt::Value>& inputs);

// "runs", "mean_ms", "median_ms", "min_ms", "p90_ms", "p99_ms"
void write_times(Json&, const RunTimes&);
// "runs_per_s", and with a batch dimension "batch" and "items_per_s"
void write_rates(Json&, const RunTimes&, std::optional<int64_t> batch);
std::string times_text(const RunTimes&);
void write_load(Json&, const Load&);  // "other_programs": their share; "under_load"
std::string rates_text(const RunTimes&, std::optional<int64_t> batch);

std::string bench_json(const BenchOptions&, const ReadyModel&, const BenchResult&);
std::string bench_text(const BenchOptions&, const ReadyModel&, const BenchResult&);

}  // namespace cppgen
