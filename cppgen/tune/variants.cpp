#include "cppgen/tune/variants.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "cppgen/compile/compile_error.h"
#include "cppgen/tune/winners.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"

namespace cppgen::tune {
namespace {

constexpr double kTurnSeconds = 0.3;
constexpr int kMostTurns = 2;  // times as many turns, until no region changes sides
constexpr const char* kUsual = "usual";
constexpr const char* kBase = "base";
constexpr const char* kVariant = "variant";
constexpr const char* kChosen = "chosen";
constexpr const char* kSpills = "spills";
constexpr const char* kData = "data";
constexpr const char* kPrefix = "cppgen-tune.";

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void keep_least(PackageTimes& least, const PackageTimes& times) {
  if (least.steps.empty()) least = times;
  for (size_t i = 0; i < least.steps.size() && i < times.steps.size(); i++)
    least.steps[i].ms = std::min(least.steps[i].ms, times.steps[i].ms);
}

std::vector<std::set<std::string>> faster_sites(const std::vector<Region>& regions) {
  std::vector<std::set<std::string>> sites;
  for (const Region& r : regions)
    if (is_faster(r)) sites.push_back(r.sites);
  return sites;
}

// Whole runs of two packages, one after the other.
struct Turns {
  std::vector<double> usual, variant, ratios;

  void add(double usual_ms, double variant_ms) {
    usual.push_back(usual_ms), variant.push_back(variant_ms), ratios.push_back(variant_ms / usual_ms);
  }
};

Variants::WholeRuns failed_runs(const std::string& failure, bool interrupted) {
  Variants::WholeRuns runs;
  runs.failure = failure, runs.interrupted = interrupted;
  return runs;
}

bool same_code(const std::vector<SiteReport>& a, const std::vector<SiteReport>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SiteReport& x, const SiteReport& y) { return x.site == y.site && x.code == y.code; });
}

}  // namespace

Variants::Variants(const TuneRequest& request)
    : request_(request),
      directory_(system_temp_directory(), kPrefix),
      runs_(request.program, request.compile.settings, request.run_dims, request.compile.cancel),
      load_rule_{.threads = threads_of_runs(request.compile.settings), .source = request.load} {
  remove_stale_temp_directories(system_temp_directory(), kPrefix);
}

CompileRequest Variants::request_for(schedule::Choices choices, const std::string& name) const {
  CompileRequest request = request_.compile;
  choices.insert(base_choices_.begin(), base_choices_.end());
  request.choices = std::make_shared<const schedule::Choices>(std::move(choices));
  request.output = folder(name);
  request.begin = std::chrono::steady_clock::now();
  std::filesystem::remove_all(request.output);
  return request;
}

CompiledModel Variants::compile(schedule::Choices choices, const std::string& name) const {
  return compile_model(request_for(std::move(choices), name));
}

std::map<std::string, int64_t> Variants::loop_spills(schedule::Choices choices) const {
  CompileRequest request = request_for(std::move(choices), kSpills);
  request.count_spills = true;
  std::map<std::string, int64_t> spills;
  for (const SiteReport& site : compile_model(request).report.sites)
    spills[site.site] = std::max(spills[site.site], site.loop_spills);
  return spills;
}

void Variants::time_base() {
  try {
    base_times_ = runs_.times(base_.package, 3);
    base_times_ = runs_.times(base_.package, run_count());
  } catch (const PackageFailed& failed) {
    user_error("{}: cannot be tuned, because its package {}", request_.compile.model, failed.what());
  }
}

void Variants::extend_base(const schedule::Choices& choices) {
  base_choices_.insert(choices.begin(), choices.end());
  base_ = compile({}, kBase);
  time_base();
}

void Variants::compile_usual() {
  base_ = compile({}, kUsual);
  try {
    runs_.record(base_.package, folder(kData));
  } catch (const PackageFailed& failed) {
    user_error("{}: cannot be tuned, because its usual package {}", request_.compile.model, failed.what());
  }
  time_base();
}

int Variants::run_count() const {
  return int(std::clamp(kTurnSeconds * 1e3 / std::max(base_times_.run_ms, 1e-3), 3.0, 1000.0));
}

Outcome Variants::measure(schedule::Choices choices, int turns) const {
  try {
    const CompiledModel variant = compile(std::move(choices), kVariant);
    if (same_code(variant.report.sites, sites())) return {};
    runs_.verify(variant.package, folder(kData));
    return {"", timed(variant.report.sites, turns), false};
  } catch (const PackageFailed& failed) {
    return {failed.what(), {}, failed.interrupted};
  } catch (const CompileError& error) {
    return {error.what(), {}, error.kind == CompileFailure::interrupted};
  } catch (const RefusedSource& error) {
    return {error.what(), {}, false};
  }
}

std::vector<Region> Variants::timed(const std::vector<SiteReport>& variant_sites, int turns) const {
  PackageTimes base, variant;
  std::vector<Region> regions;
  std::vector<std::set<std::string>> faster;
  bool stable = false;
  for (int turn = 0, quiet = 0; quiet < turns || !stable; turn++) {
    if (turn == kMostTurns * turns) break;
    const LoadMeter meter(load_rule_);
    keep_least(base, runs_.times(base_.package, run_count()));
    keep_least(variant, runs_.times(folder(kVariant), run_count()));
    regions = changed_regions({sites(), base.steps}, {variant_sites, variant.steps});
    const auto before = std::exchange(faster, faster_sites(regions));
    stable = turn > 0 && before == faster;
    quiet += !meter.load().busy();
  }
  return regions;
}

Variants::WholeRuns Variants::time_whole(int turns) const { return time_whole(kUsual, turns); }

Variants::WholeRuns Variants::compare_whole(schedule::Choices before, schedule::Choices after, int turns) const {
  try {
    compile(std::move(before), kChosen);
    compile(std::move(after), kVariant);
    runs_.verify(folder(kVariant), folder(kData));
    return time_whole(kChosen, turns);
  } catch (const PackageFailed& failed) {
    return failed_runs(failed.what(), failed.interrupted);
  } catch (const CompileError& error) {
    return failed_runs(error.what(), error.kind == CompileFailure::interrupted);
  } catch (const RefusedSource& error) {
    return failed_runs(error.what(), false);
  }
}

Variants::WholeRuns Variants::time_whole(const std::string& of_usual, int turns) const {
  Turns all, quiet;
  try {
    while (int(quiet.usual.size()) < turns && int(all.usual.size()) < kMostTurns * turns) {
      const LoadMeter meter(load_rule_);
      const double usual = runs_.run_ms(folder(of_usual), run_count());
      const double variant = runs_.run_ms(folder(kVariant), run_count());
      all.add(usual, variant);
      if (const Load load = meter.load(); !load.busy())
        quiet.add(usual, variant);
      else if (all.usual.size() == quiet.usual.size() + 1)
        log_warning("other programs took {:.0f}% of the CPU time of whole runs: measuring them more often",
                    100 * load.share);
    }
  } catch (const PackageFailed& failed) {
    return failed_runs(failed.what(), failed.interrupted);
  }
  const bool under_load = int(quiet.usual.size()) < turns;
  const Turns& turns_used = under_load ? all : quiet;
  WholeRuns runs;
  runs.usual_ms = median(turns_used.usual), runs.ms = median(turns_used.variant);
  runs.ratio = median(turns_used.ratios), runs.under_load = under_load;
  runs.least_usual_ms = *std::min_element(all.usual.begin(), all.usual.end());
  runs.least_ms = *std::min_element(all.variant.begin(), all.variant.end());
  return runs;
}

}  // namespace cppgen::tune
