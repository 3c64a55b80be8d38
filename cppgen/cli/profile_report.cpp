#include "cppgen/cli/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cppgen/cli/command_support.h"
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
  std::string text = fmt::format("{}: {}, {}, {}\n", options.model, profile.model.isa(),
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
  return text;
}

std::string profile_json(const ProfileOptions& options, const ModelProfile& profile) {
  Json json;
  json["model"] = options.model;
  json["isa"] = profile.model.isa();
  json["threads"] = profile.model.threads();
  json["runs"] = profile.times.seconds.size();
  json["median_ms"] = profile.times.median_ms();
  json["min_ms"] = profile.times.min_ms();
  json["steps_ms"] = profile.total_ms();
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
