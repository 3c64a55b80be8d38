#include "cppgen/cli/explain/explain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/report/explained_totals.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

using report::bound_ns;
using report::control_flow;
using report::far_steps;
using report::predicted_ns;
using report::sum_over;
using MeasuredStep = StoredProfile::Step;
using Step = Explanation::Step;

std::string kinds_text(const Explanation& explanation) {
  std::map<std::string, int64_t> engines;
  for (const Step& step : explanation.steps) engines[step.engine]++;
  std::string text;
  for (const auto& [engine, count] : engines) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, engine);
  return text;
}

std::string fusions_text(const Explanation& explanation) {
  std::map<std::string, int64_t> rules;
  for (const auto& entry : explanation.decisions.entries)
    if (entry.decision.fused) rules[entry.rule]++;
  std::string text;
  for (const auto& [rule, count] : rules) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, rule);
  return text.empty() ? "nothing" : text;
}

std::string run_memory_text(const RunMemory& memory) {
  return fmt::format(
      "{} at the peak of a run: {} of weights, {} of inputs, {} of outputs, {} of intermediate values, {} of scratch "
      "memory",
      bytes_text(memory.peak()), bytes_text(memory.weights), bytes_text(memory.inputs), bytes_text(memory.outputs),
      bytes_text(memory.arenas), bytes_text(memory.scratch));
}

std::string predicted_text(const Explanation& explanation) {
  const auto of = [&](bool arithmetic) {
    return sum_over(explanation.steps,
                    [&](const Step& step) {
                      return step.bound && (step.bound->by() == "arithmetic") == arithmetic ? step.bound->ns() : 0;
                    }) /
           1e6;
  };
  return fmt::format("{:.4g} ms; {:.4g} ms at the least: {:.4g} ms of arithmetic, {:.4g} ms of memory{}",
                     sum_over(explanation.steps, predicted_ns) / 1e6, of(true) + of(false), of(true), of(false),
                     explanation.peaks_are_assumed
                         ? fmt::format(" (peaks of {:.0f} GFLOP/s and {:.0f} GB/s are assumed until `cppgen profile` "
                                       "measures them)",
                                       explanation.peaks.gflops, explanation.peaks.levels.back().gb_per_second)
                     : explanation.peaks.under_load
                         ? " (by peaks that were measured on a busy machine: `cppgen profile` measures them again)"
                         : "");
}

// The three steps that take most of the bound.
std::string largest_text(const Explanation& explanation) {
  const double total = sum_over(explanation.steps, bound_ns);
  std::vector<const Step*> order;
  for (const Step& step : explanation.steps) order.push_back(&step);
  std::stable_sort(order.begin(), order.end(), [&](const Step* a, const Step* b) {
    return a->cost.calls * bound_ns(*a) > b->cost.calls * bound_ns(*b);
  });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(3, order.size()) && total > 0; i++)
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", order[i]->name,
                        100 * order[i]->cost.calls * bound_ns(*order[i]) / total);
  return text.empty() ? "-" : text;
}

std::string measured_text(const std::optional<StoredProfile>& profile) {
  if (!profile) return "not yet: run `cppgen profile`\n";
  std::string text = fmt::format(
      "{:.4g} ms on {} (the mean of the last `cppgen profile`{}), of which steps take {:.4g} ms\n", profile->run_ms,
      counted(profile->threads, "thread"), profile->under_load ? ", on a busy machine" : "", profile->steps_ms());
  if (std::none_of(profile->steps.begin(), profile->steps.end(), [](const auto& step) { return step.bound_ms > 0; }))
    return text + "far         unknown, because no step has a bound\n";
  const std::vector<const MeasuredStep*> far = far_steps(*profile);
  constexpr size_t kMost = 3;
  std::string steps;
  for (size_t i = 0; i < std::min(kMost, far.size()); i++)
    steps += fmt::format("{}{} takes {:.1f} times its bound ({:.4g} ms)", steps.empty() ? "" : ", ", far[i]->name,
                         far[i]->ms / far[i]->bound_ms, far[i]->ms);
  if (far.size() > kMost) steps += fmt::format(", and {} more", far.size() - kMost);
  return text + fmt::format("far         {}\n", steps.empty() ? "no step takes more than twice its bound" : steps);
}

// "1 is assumed for N, 8 is assumed for H, W".
std::string assumed_text(const rt::NamedSizes& assumed) {
  std::map<int64_t, std::vector<std::string>> names;
  for (const auto& [name, size] : assumed) names[size].push_back(name);
  std::string text;
  for (const auto& [size, of_size] : names)
    text += fmt::format("{}{} is assumed for {}", text.empty() ? "" : ", ", size, printable_list(of_size));
  return text;
}

}  // namespace

std::string summary_text(const ExplainOptions& options, const Explanation& explanation) {
  const std::vector<Step>& steps = explanation.steps;
  std::string text = fmt::format("{}: {} for {}, from {}\n", options.model, counted(int64_t(steps.size()), "step"),
                                 explanation.isa, counted(explanation.nodes, "node"));
  text += fmt::format("kernels     {}\n", kinds_text(explanation));
  text += fmt::format("fused       {}\n", fusions_text(explanation));
  text += fmt::format("arithmetic  {:.4g} GFLOP of products and their sums in a run\n",
                      sum_over(steps, [](const Step& step) { return step.cost.flops; }) / 1e9);
  text += fmt::format("traffic     {} in a run, of which {} are constants\n",
                      bytes_text(int64_t(sum_over(steps, [](const Step& step) { return step.cost.bytes; }))),
                      bytes_text(int64_t(sum_over(steps, [](const Step& step) { return step.cost.constant_bytes; }))));
  text += fmt::format("memory      {}\n", run_memory_text(explanation.memory));
  text += fmt::format("predicted   {}\n", predicted_text(explanation));
  text += fmt::format("largest     {}\n", largest_text(explanation));
  text += fmt::format("measured    {}", measured_text(explanation.profile));
  if (!explanation.assumed.empty())
    text += fmt::format("sizes       {}; --dim NAME=N sets a size\n", assumed_text(explanation.assumed));
  if (const auto nodes = control_flow(explanation); !nodes.empty())
    text += fmt::format("control     bodies of loops and all branches count as if each ran once: {}\n",
                        printable_list(nodes));
  return text;
}

}  // namespace cppgen
