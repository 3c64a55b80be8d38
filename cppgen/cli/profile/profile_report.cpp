#include "cppgen/cli/profile/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/shared/command_support.h"
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

// Says how the cost model did for kernels of our own, whose instructions it knows.
std::string predictions_text(const ModelProfile& profile) {
  constexpr double kClose = 1.5;
  double sum = 0;
  int64_t kernels = 0, close = 0;
  for (size_t i = 0; i < profile.steps.size(); i++) {
    const double predicted = profile.predicted_ms(i);
    sum += predicted;
    if (profile.model.plan().steps[i].kind != rt::StepKind::kernel || predicted == 0) continue;
    const double ratio = predicted / profile.step_ms(i);
    kernels++, close += ratio <= kClose && ratio >= 1 / kClose;
  }
  return fmt::format("predicted {:.4g} ms; {} of {} {} within {} times {} prediction\n", sum, close,
                     counted(kernels, "kernel"), close == 1 ? "is" : "are", kClose, close == 1 ? "its" : "their");
}

std::string peaks_text(const ModelProfile& profile) {
  std::string text =
      fmt::format("peaks  {}{:.0f} GFLOP/s", profile.peaks->under_load ? "(of a busy machine, perhaps too low) " : "",
                  profile.peaks->gflops);
  for (const MachinePeaks::Level& level : profile.peaks->levels)
    text += fmt::format(", {} {:.0f} GB/s", level.name, level.gb_per_second);
  if (profile.peaks->threads > 1)
    text += fmt::format(", between threads {:.0f} GB/s", profile.peaks->exchange_gb_per_second);
  double sum = 0, arithmetic = 0, taken = 0;
  for (size_t i = 0; i < profile.steps.size(); i++) {
    sum += profile.bound_ms(i);
    if (profile.bound_ms(i) > 0) taken += profile.step_ms(i);
    if (profile.bounds[i].by() == "arithmetic") arithmetic += profile.bound_ms(i);
  }
  text += fmt::format("\nbound  {:.4g} ms: {:.4g} ms of arithmetic, {:.4g} ms of memory", sum, arithmetic,
                      sum - arithmetic);
  if (sum > 0) text += fmt::format("; the steps take {:.2f} times as long", taken / sum);
  return text + "\n" + predictions_text(profile);
}

std::string bound_text(const ModelProfile& profile, size_t i) {
  if (!profile.peaks) return "";
  const StepBound& bound = profile.bounds[i];
  const double least = profile.bound_ms(i);
  if (least == 0) return fmt::format("  {:>7}  {:<10} {:>9}", "-", "-", "-");
  return fmt::format("  {:>7.2f}  {:<10} {:>9.2f}", profile.step_ms(i) / least, bound.by(),
                     1e3 * profile.predicted_ms(i));
}

// The times of the least and the most busy thread of the session; threads that ran no chunk are not in the map.
std::string busy_text(const ModelProfile& profile, size_t i) {
  const ThreadTimes& times = profile.step_threads[i];
  double least = int(times.size()) < profile.model.threads() ? 0 : std::numeric_limits<double>::max(), most = 0;
  for (const auto& [id, thread] : times) {
    least = std::min(least, profile.busy_ms(thread));
    most = std::max(most, profile.busy_ms(thread));
  }
  return fmt::format("{:.1f}-{:.1f}", 1e3 * least, 1e3 * most);
}

// A region's time is shown for its slowest step, to which the others refer.
std::string onednn_text(const ModelProfile& profile, size_t i) {
  if (!profile.onednn) return "";
  const auto region = profile.onednn->region_of_step[i];
  if (!region) return fmt::format("  {:>9}", "-");
  const OnednnTimes::Region& all = profile.onednn->regions[*region];
  const size_t slowest = *std::max_element(all.steps.begin(), all.steps.end(), [&](size_t a, size_t b) {
    return profile.steps[a].ns < profile.steps[b].ns;
  });
  return fmt::format("  {:>9}", slowest == i ? fmt::format("{:.2f}", 1e3 * all.ms) : fmt::format("in {}", slowest));
}

std::string onednn_head(const ModelProfile& profile) {
  const OnednnTimes& times = *profile.onednn;
  std::string text = fmt::format("oneDNN {:.4g} ms (median of {})", times.median_ms, counted(times.runs, "run"));
  if (times.median_ms > 0)
    text += fmt::format("; cppgen takes {:.2f} times as long", profile.times.median_ms() / times.median_ms);
  if (times.other_ms > 0)
    text += fmt::format("; {:.4g} ms are reorders, or for nodes that no step names", times.other_ms);
  return text + "\n";
}

std::string threads_text(const ModelProfile& profile) {
  std::string text = fmt::format("\n{:>10} {:>10} {:>6} {:>10}\n", "thread", "busy ms", "%", "chunks");
  for (const auto& [id, thread] : profile.threads)
    text += fmt::format("{:>10} {:>10.4g} {:>6.1f} {:>10.1f}\n", id, profile.busy_ms(thread),
                        100 * profile.busy_share(thread), profile.chunks(thread));
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

// The column of engines, and a space after the longest name.
size_t width_of_engines(const ModelProfile& profile) {
  size_t width = 8;
  for (const rt::Step& step : profile.model.plan().steps) width = std::max(width, printable(step.engine).size() + 1);
  return width;
}

std::string table_head(const ModelProfile& profile, size_t engine_width) {
  return fmt::format(
      "\n{:>5} {:>10} {:>6} {:>9} {:>7}{} {:>7} {:>6} {:>15}{}  {:<{}} {}\n", "step", "us", "%", "GFLOP/s", "GB/s",
      profile.peaks ? fmt::format("  {:>7}  {:<10} {:>9}", "x bound", "bound by", "pred. us") : "", "chunks", "imbal.",
      "busy us", profile.onednn ? fmt::format("  {:>9}", "oneDNN us") : "", "engine", engine_width, "kernel (nodes)");
}

std::string row_text(const ModelProfile& profile, size_t i, size_t engine_width) {
  const double total = profile.total_ms();
  const rt::StepProfile& p = profile.steps[i];
  const rt::Step& step = profile.model.plan().steps[i];
  std::string text = fmt::format("{:>5} {:>10.2f} {:>6.2f} {:>9.1f} {:>7.1f}{} {:>7.4g} {:>6.2f} {:>15}{}  {:<{}} {}",
                                 i, 1e3 * profile.step_ms(i), total > 0 ? 100 * profile.step_ms(i) / total : 0,
                                 p.gflops_per_second(), p.gb_per_second(), bound_text(profile, i), profile.chunks_of(i),
                                 profile.imbalance(i), busy_text(profile, i), onednn_text(profile, i),
                                 printable(step.engine), engine_width, printable(profile.model.chosen->labels()[i]));
  if (!step.origins.empty()) text += " (" + printable(fmt::format("{}", fmt::join(step.origins, ", "))) + ")";
  return text + "\n";
}

}  // namespace

std::string profile_text(const ProfileOptions& options, const ModelProfile& profile) {
  std::string text =
      fmt::format("{}: {}, {}, {}\n", options.model, target_text(profile.model),
                  counted(profile.model.threads(), "thread"), step_text(count_steps(profile.model.plan())));
  text += fmt::format("run    {:.4g} ms (median of {}); {:.4g} ms in the mean of {}, of which steps take {:.4g} ms\n",
                      profile.times.median_ms(), counted(int64_t(profile.times.seconds.size()), "run"),
                      profile.run_ms(), profile.runs, profile.total_ms());
  text += load_text(profile.load);
  if (profile.onednn) text += onednn_head(profile);
  if (profile.peaks) text += peaks_text(profile);
  const size_t engine_width = width_of_engines(profile);
  text += table_head(profile, engine_width);
  for (const size_t i : slowest_first(profile)) text += row_text(profile, i, engine_width);
  return text + threads_text(profile) + counters_text(profile);
}

}  // namespace cppgen
