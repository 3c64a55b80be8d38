#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/cli/shared/command_options.h"
#include "cppgen/cli/shared/timed.h"
#include "cppgen/support/interrupt.h"
#include "cppgen/support/load_meter.h"

namespace cppgen {

// `bench --sweep`: the same model with every combination of values of some settings.

struct SweptSetting {
  std::string name;  // as in settings.def
  std::vector<std::string> values;
};

// The settings of --sweep NAME=VALUE,VALUE. If the text has semicolons, these separate the values, which may then hold
// commas. UserError for an unknown setting or a value that it does not allow, for a setting that is swept twice or
// is also given another way, and for more than 256 combinations.
std::vector<SweptSetting> swept_settings(const BenchOptions&);

struct SweepPoint {
  std::vector<std::string> values;  // of the swept settings, in their order
  RunTimes times;
  double compile_s = 0;
  bool package = false, cold = false;
  std::string isa;
  int threads = 0;
  int64_t arena_bytes = 0;
};

struct Sweep {
  std::vector<SweptSetting> settings;
  std::vector<SweepPoint> points;  // the last setting varies fastest
  int64_t clients = 1;
  std::optional<int64_t> batch;
  Load load;
  size_t best = 0;  // the point with most runs per second, or for a single client the least median
};

// Opens the model for every point, and then runs them in turns (time_models), so that the machine changes for all of
// them alike. UserError naming the values of the point if a model cannot be opened or run.
Sweep run_sweep(const BenchOptions&, const CancelToken&);

std::string sweep_text(const BenchOptions&, const Sweep&);
std::string sweep_json(const BenchOptions&, const Sweep&);

// "THREADS=2 MIN_CHUNK_SIZE=512"
std::string values_text(const Sweep&, const SweepPoint&);

}  // namespace cppgen
