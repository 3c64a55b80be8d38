#include "cppgen/cli/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/model_inputs.h"
#include "runtime/base/printable.h"
#include "runtime/session/profile.h"

namespace cppgen {
namespace {

double ratio_of(const BenchResult& result, const Against& against) {
  return against.times.median_ms() / result.times.median_ms();
}

Json against_json(const BenchResult& result, const Against& against) {
  double difference = 0;
  for (const rt::OutputReport& output : against.agreement.outputs)
    difference = std::max(difference, output.max_difference);
  Json json;
  json["engine"] = against.baseline->engine();
  write_times(json, against.times);
  json["ratio"] = ratio_of(result, against);
  json["outputs_agree"] = against.agreement.ok();
  json["max_abs_difference"] = difference;
  against.baseline->describe(json);
  return json;
}

// One library is an object, several are an array of such objects.
void write_against(Json& json, const BenchResult& result) {
  if (result.against.size() == 1) json["against"] = against_json(result, result.against[0]);
  if (result.against.size() < 2) return;
  json["against"] = Json::array();
  for (const Against& against : result.against) json["against"].push_back(against_json(result, against));
}

void write_compilation(Json& json, const ReadyModel& model, const BenchResult& result) {
  const CompileReport& report = model.compiled.report;
  json["compile_s"] = model.package ? Json() : Json(result.compile_s);
  json["cold"] = model.package ? Json() : Json(is_cold(report));
  json["weights_s"] = model.package ? Json() : Json(report.weights_s);
}

std::string against_text(const BenchResult& result, const Against& against) {
  const std::string engine = against.baseline->engine();
  std::string text = fmt::format("{:<8} {}\n", engine, times_text(against.times));
  text += against.baseline->description();
  text += fmt::format("ratio    {:.3f} ({} / cppgen, medians; above 1, cppgen is faster)\n", ratio_of(result, against),
                      engine);
  return text + (against.agreement.ok() ? "outputs  agree\n" : "outputs  differ:\n" + against.agreement.text());
}

std::string compilation_text(const ReadyModel& model, const BenchResult& result) {
  const CompileReport& report = model.compiled.report;
  std::string text = fmt::format("compile  {} to the first result, plus {} for weights", seconds_text(result.compile_s),
                                 seconds_text(report.weights_s));
  if (report.from_cache)
    text += "; the model is from the cache (--cold compiles it)";
  else if (report.cached_units > 0)
    text += fmt::format("; {} of {} units are from the cache (--cold compiles all)", report.cached_units, report.units);
  return text + "\n";
}

}  // namespace

double compile_seconds(const TimedModel& timed) {
  const ReadyModel& model = timed.model();
  return model.open_s - model.compiled.report.weights_s + timed.first_run_s();
}

bool is_cold(const CompileReport& report) { return !report.from_cache && report.cached_units == 0; }

std::optional<int64_t> batch_of(const TimedModel& timed, const std::vector<rt::Value>& inputs) {
  std::optional<int64_t> batch;
  bool same = true;
  const auto add = [&](const std::vector<int64_t>& dims) {
    if (dims.empty()) return;
    same = same && batch.value_or(dims[0]) == dims[0];
    batch = dims[0];
  };
  for (const rt::Value& input : inputs) {
    if (!input.tensor()) return std::nullopt;
    add(input.tensor()->dims());
  }
  for (const rt::Tensor& output : timed.outputs()) add(output.dims());
  return same && !timed.outputs().empty() ? batch : std::nullopt;
}

void write_times(Json& json, const RunTimes& times) {
  json["runs"] = times.seconds.size();
  json["mean_ms"] = times.mean_ms();
  json["median_ms"] = times.median_ms();
  json["min_ms"] = times.min_ms();
  json["p90_ms"] = times.percentile_ms(0.9);
  json["p99_ms"] = times.percentile_ms(0.99);
}

void write_rates(Json& json, const RunTimes& times, std::optional<int64_t> batch) {
  json["runs_per_s"] = times.runs_per_s();
  if (!batch) return;
  json["batch"] = *batch;
  json["items_per_s"] = times.runs_per_s() * double(*batch);
}

void write_load(Json& json, const Load& load) {
  json["other_programs"] = load.share;
  json["under_load"] = load.busy();
}

std::string times_text(const RunTimes& times) {
  return fmt::format("median {:.4g} ms, min {:.4g} ms, p90 {:.4g} ms, p99 {:.4g} ms ({})", times.median_ms(),
                     times.min_ms(), times.percentile_ms(0.9), times.percentile_ms(0.99),
                     counted(int64_t(times.seconds.size()), "run"));
}

std::string rates_text(const RunTimes& times, std::optional<int64_t> batch) {
  std::string text = fmt::format("{:.4g} runs/s", times.runs_per_s());
  if (batch) text += fmt::format(", {:.4g} items/s (batch {})", times.runs_per_s() * double(*batch), *batch);
  return text;
}

std::string bench_json(const BenchOptions& options, const ReadyModel& model, const BenchResult& result) {
  Json json;
  json["model"] = options.model;
  json["clients"] = result.clients;
  write_times(json, result.times);
  write_rates(json, result.times, result.batch);
  write_load(json, result.load);
  write_compilation(json, model, result);
  json["load_s"] = result.fresh.load_s;
  json["peak_rss_mb"] = double(result.fresh.peak_rss_kb) / 1024;
  json["weights_bytes"] = result.stats.weights_bytes;
  json["arena_bytes"] = result.stats.arena_bytes;
  write_target(json, model);
  write_steps(json, model);
  write_against(json, result);
  return json_text(json, 2) + "\n";
}

std::string bench_text(const BenchOptions& options, const ReadyModel& model, const BenchResult& result) {
  std::string text = fmt::format("{}: {}, {}, {}\n", options.model, target_text(model),
                                 counted(model.threads(), "thread"), step_text(count_steps(model.plan())));
  text += fmt::format("run      {}\n", times_text(result.times));
  text += fmt::format("rate     {} by {}\n", rates_text(result.times, result.batch), counted(result.clients, "client"));
  text += load_text(result.load);
  for (const Against& against : result.against) text += against_text(result, against);
  if (!model.package) text += compilation_text(model, result);
  text += fmt::format("load     {} in a new process\n", seconds_text(result.fresh.load_s));
  text += fmt::format("memory   {} peak in a new process; weights {}, arena {}\n",
                      bytes_text(result.fresh.peak_rss_kb * 1024), bytes_text(result.stats.weights_bytes),
                      bytes_text(result.stats.arena_bytes));
  const auto profile = model.session ? model.chosen->profile() : std::vector<rt::StepProfile>();
  if (!profile.empty() && profile[0].calls > 0) text += rt::profile_text(model.plan(), profile, model.chosen->labels());
  return text;
}

}  // namespace cppgen
