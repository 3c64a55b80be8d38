#include "cppgen/cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cppgen/cli/command_support.h"
#include "cppgen/cli/model_profile.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::vector<size_t> slowest_first(const ModelProfile& profile) {
  std::vector<size_t> order(profile.steps.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return profile.steps[a].ns > profile.steps[b].ns; });
  return order;
}

std::string peaks_text(const ModelProfile& profile) {
  std::string text = fmt::format("peaks  {:.0f} GFLOP/s", profile.peaks->gflops);
  for (const MachinePeaks::Level& level : profile.peaks->levels)
    text += fmt::format(", {} {:.0f} GB/s", level.name, level.gb_per_second);
  double sum = 0, arithmetic = 0;
  for (size_t i = 0; i < profile.steps.size(); i++) {
    sum += profile.bound_ms(i);
    if (profile.bounds[i].by() == "arithmetic") arithmetic += profile.bound_ms(i);
  }
  text += fmt::format("\nbound  {:.4g} ms: {:.4g} ms of arithmetic, {:.4g} ms of memory", sum, arithmetic,
                      sum - arithmetic);
  if (sum > 0) text += fmt::format("; the steps take {:.2f} times as long", profile.total_ms() / sum);
  return text + "\n";
}

std::string bound_text(const ModelProfile& profile, size_t i) {
  if (!profile.peaks) return "";
  const StepBound& bound = profile.bounds[i];
  const double least = profile.bound_ms(i);
  if (least == 0) return fmt::format("  {:>7}  {:<10}", "-", "-");
  return fmt::format("  {:>7.2f}  {:<10}", profile.step_ms(i) / least, bound.by());
}

double busy_ms(const ModelProfile& profile, const ThreadTime& thread) {
  return thread.busy_ns / double(profile.runs) / 1e6;
}

// The share of a thread in the time of the runs.
double busy_share(const ModelProfile& profile, const ThreadTime& thread) {
  return profile.runs_s > 0 ? thread.busy_ns / 1e9 / profile.runs_s : 0;
}

std::string threads_text(const ModelProfile& profile) {
  std::string text = fmt::format("\n{:>10} {:>10} {:>6} {:>10}\n", "thread", "busy ms", "%", "chunks");
  for (const auto& [id, thread] : profile.threads)
    text += fmt::format("{:>10} {:>10.4g} {:>6.1f} {:>10.1f}\n", id, busy_ms(profile, thread),
                        100 * busy_share(profile, thread), double(thread.chunks) / double(profile.runs));
  return text + fmt::format("imbalance {:.3f}: the busiest thread compared with the mean of {}\n", profile.imbalance(),
                            counted(profile.model.threads(), "thread"));
}

std::string counters_text(const ModelProfile& profile) {
  if (profile.counts.empty()) return fmt::format("counters of the CPU are not available: {}\n", profile.no_counts);
  std::string text = "counters of a run:";
  for (const HardwareCounters::Count& count : profile.counts)
    text += fmt::format("{} {:.4g} {}", text.ends_with(':') ? "" : ",", count.value / double(profile.runs), count.name);
  const auto& c = profile.counts;
  if (c.size() > 1 && c[0].name == "cycles" && c[1].name == "instructions" && c[0].value > 0)
    text += fmt::format("; {:.2f} instructions per cycle", c[1].value / c[0].value);
  return text + "\n";
}

void write_threads(Json& json, const ModelProfile& profile) {
  json["imbalance"] = profile.imbalance();
  json["thread_times"] = Json::array();
  for (const auto& [id, thread] : profile.threads) {
    Json item;
    item["thread"] = id;
    item["busy_ms"] = busy_ms(profile, thread);
    item["share"] = busy_share(profile, thread);
    item["chunks"] = double(thread.chunks) / double(profile.runs);
    json["thread_times"].push_back(std::move(item));
  }
  json["counters"] = profile.counts.empty() ? Json() : Json::object();
  for (const HardwareCounters::Count& count : profile.counts)
    json["counters"][count.name] = count.value / double(profile.runs);
  if (profile.counts.empty()) json["no_counters"] = profile.no_counts;
}

Json peaks_json(const MachinePeaks& peaks) {
  Json json;
  json["gflops_per_s"] = peaks.gflops;
  json["levels"] = Json::array();
  for (const MachinePeaks::Level& level : peaks.levels) {
    Json item;
    item["name"] = level.name;
    item["bytes"] = level.bytes ? Json(level.bytes) : Json();
    item["gb_per_s"] = level.gb_per_second;
    json["levels"].push_back(std::move(item));
  }
  return json;
}

}  // namespace

std::string profile_text(const ProfileOptions& options, const ModelProfile& profile) {
  const rt::Plan& plan = profile.model.plan();
  const double total = profile.total_ms();
  std::string text = fmt::format("{}: {}, {}, {}\n", options.model, target_text(profile.model),
                                 counted(profile.model.threads(), "thread"), step_text(count_steps(plan)));
  text += fmt::format("run    {:.4g} ms (median of {}), of which steps take {:.4g} ms\n", profile.times.median_ms(),
                      counted(int64_t(profile.times.seconds.size()), "run"), total);
  if (profile.peaks) text += peaks_text(profile);
  text += fmt::format("\n{:>5} {:>10} {:>6} {:>9} {:>7}{}  {:<8} {}\n", "step", "us", "%", "GFLOP/s", "GB/s",
                      profile.peaks ? fmt::format("  {:>7}  {:<10}", "x bound", "bound by") : "", "engine",
                      "kernel (nodes)");
  for (const size_t i : slowest_first(profile)) {
    const rt::StepProfile& p = profile.steps[i];
    const rt::Step& step = plan.steps[i];
    text += fmt::format("{:>5} {:>10.2f} {:>6.2f} {:>9.1f} {:>7.1f}{}  {:<8} {}", i, 1e3 * profile.step_ms(i),
                        total > 0 ? 100 * profile.step_ms(i) / total : 0, p.gflops_per_second(), p.gb_per_second(),
                        bound_text(profile, i), printable(step.engine), printable(step.name));
    if (!step.origins.empty()) text += " (" + printable(fmt::format("{}", fmt::join(step.origins, ", "))) + ")";
    text += '\n';
  }
  return text + threads_text(profile) + counters_text(profile);
}

std::string profile_json(const ProfileOptions& options, const ModelProfile& profile) {
  Json json;
  json["model"] = options.model;
  write_target(json, profile.model);
  json["runs"] = profile.times.seconds.size();
  json["median_ms"] = profile.times.median_ms();
  json["min_ms"] = profile.times.min_ms();
  json["steps_ms"] = profile.total_ms();
  write_threads(json, profile);
  json["peaks"] = profile.peaks ? peaks_json(*profile.peaks) : Json();
  write_steps(json, profile.model.plan(), profile.steps);
  for (size_t i = 0; i < profile.steps.size(); i++) {
    Json& step = json["steps"][i];
    step["share"] = profile.total_ms() > 0 ? profile.step_ms(i) / profile.total_ms() : 0;
    if (!profile.peaks || profile.bounds[i].ns() == 0) continue;
    step["bound_ms"] = profile.bounds[i].ns() / 1e6;
    step["bound_by"] = profile.bounds[i].by();
  }
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
