#include "cppgen/cli/bench/bench_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <tuple>

#include "cppgen/cli/bench/bench_caches.h"
#include "cppgen/cli/bench/bench_clients.h"
#include "cppgen/cli/bench/bench_report.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/settings_file.h"
#include "runtime/base/errors.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

constexpr size_t kMostPoints = 256;

SweptSetting parse(const std::string& text) {
  const size_t at = text.find('=');
  if (at == text.npos || at == 0) user_error("--sweep {}: expected NAME=VALUE,VALUE, as in --sweep THREADS=1,2", text);
  const std::string list = text.substr(at + 1);
  SweptSetting swept;
  swept.values = setting_values::split(list, list.find(';') == list.npos ? ',' : ';');
  if (swept.values.empty()) user_error("--sweep {}: there is no value", text);
  const char separator = list.find(';') == list.npos ? ',' : ';';
  const bool is_ended = list.ends_with(';');  // a single value with commas
  if (swept.values.size() + is_ended != size_t(std::count(list.begin(), list.end(), separator)) + 1)
    user_error("--sweep {}: a value is missing", text);
  std::set<std::string> different;
  for (const std::string& value : swept.values) {
    const SettingDescription setting = setting_with(text.substr(0, at), value);
    swept.name = setting.name;
    if (!different.insert(setting.value).second) user_error("--sweep {}: the value {} is given twice", text, value);
  }
  return swept;
}

bool is_given(const Settings& settings, const std::string& name) {
  for (const SettingDescription& row : settings.describe())
    if (row.name == name) return row.source == "option";
  return false;
}

// A model with the settings of one point.
struct Opened {
  BenchOptions options;
  Settings settings;
  ReadyRun run;
  std::unique_ptr<TimedModel> timed;
};

std::vector<std::vector<std::string>> combinations(const std::vector<SweptSetting>& settings) {
  std::vector<std::vector<std::string>> all{{}};
  for (const SweptSetting& swept : settings) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& values : all)
      for (const std::string& value : swept.values) {
        longer.push_back(values);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

Opened open_point(const BenchOptions& options, const Sweep& sweep, const SweepPoint& point, BenchCaches& caches,
                  const CancelToken& cancel) {
  Opened opened{options, {}, {}, nullptr};
  for (size_t i = 0; i < point.values.size(); i++)
    opened.options.settings.push_back(sweep.settings[i].name + "=" + point.values[i]);
  opened.settings = caches.of(settings_of(opened.options));
  opened.run = open_run(opened.options, opened.settings, cancel);
  return opened;
}

void describe(SweepPoint& point, const Opened& opened) {
  const ReadyModel& model = opened.run.model;
  point.compile_s = compile_seconds(*opened.timed);
  point.package = model.package;
  point.cold = is_cold(model.compiled.report);
  point.isa = model.isa();
  point.threads = model.threads();
}

size_t best_of(const Sweep& sweep) {
  const auto better = [&](const SweepPoint& a, const SweepPoint& b) {
    return sweep.clients > 1 ? a.times.runs_per_s() > b.times.runs_per_s() : a.times.median_ms() < b.times.median_ms();
  };
  return size_t(std::min_element(sweep.points.begin(), sweep.points.end(), better) - sweep.points.begin());
}

}  // namespace

std::vector<SweptSetting> swept_settings(const BenchOptions& options) {
  std::vector<SweptSetting> all;
  const Settings given = settings_of(options);
  size_t points = 1;
  for (const std::string& text : options.sweeps) {
    SweptSetting swept = parse(text);
    for (const SweptSetting& other : all)
      if (other.name == swept.name) user_error("--sweep {}: {} is swept twice", text, swept.name);
    if (is_given(given, swept.name))
      user_error("--sweep {}: {} also has one value by another option; give one of them", text, swept.name);
    points *= swept.values.size();
    if (points > kMostPoints) user_error("--sweep: there are more than {} combinations of values", kMostPoints);
    all.push_back(std::move(swept));
  }
  return all;
}

Sweep run_sweep(const BenchOptions& options, const CancelToken& cancel) {
  Sweep sweep;
  sweep.settings = swept_settings(options);
  sweep.clients = options.clients;
  for (std::vector<std::string>& values : combinations(sweep.settings)) {
    sweep.points.emplace_back();
    sweep.points.back().values = std::move(values);
  }
  BenchCaches caches(options.cold);
  std::deque<Opened> opened;  // timed models refer to their elements
  std::vector<Timed*> timed;
  for (SweepPoint& point : sweep.points) try {
      opened.push_back(open_point(options, sweep, point, caches, cancel));
      opened.back().timed = timed_model(opened.back().run, options.clients);
      timed.push_back(opened.back().timed.get());
      describe(point, opened.back());
      opened.back().timed->rest();
    } catch (const UserError& error) {
      user_error("with {}: {}", values_text(sweep, point), error.what());
    }
  sweep.batch = batch_of(*opened[0].timed, opened[0].run.inputs);
  const TimingLimits limits{options.runs, options.seconds, options.any_load};
  int threads = 1;  // of the points, which run one after the other
  for (const SweepPoint& point : sweep.points) threads = std::max(threads, point.threads);
  std::vector<RunTimes> times;
  {
    const ProgressLine line(opened[0].settings, fmt::format("measuring {} combinations", timed.size()));
    std::tie(times, sweep.load) = least_disturbed(load_rule(limits, threads * options.clients),
                                                  [&] { return time_models(timed, limits, cancel); });
  }
  for (size_t i = 0; i < sweep.points.size(); i++) {
    sweep.points[i].times = std::move(times[i]);
    if (opened[i].run.model.session) sweep.points[i].arena_bytes = opened[i].run.model.session->stats().arena_bytes;
  }
  sweep.best = best_of(sweep);
  return sweep;
}

std::string values_text(const Sweep& sweep, const SweepPoint& point) {
  std::string text;
  for (size_t i = 0; i < point.values.size(); i++)
    text += fmt::format("{}{}={}", i ? " " : "", sweep.settings[i].name, point.values[i]);
  return text;
}

}  // namespace cppgen
