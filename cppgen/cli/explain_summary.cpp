#include "cppgen/cli/explain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cppgen/cli/command_support.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

using Step = Explanation::Step;

template <class Value>
double sum_over(const std::vector<Step>& steps, const Value& value) {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [&](double sum, const Step& step) { return sum + step.cost.calls * value(step); });
}

double bound_ns(const Step& step) { return step.bound ? step.bound->ns() : 0; }

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

std::string bound_text(const Explanation& explanation) {
  if (!explanation.peaks) return "unknown until `cppgen profile` has measured the peaks of this machine";
  const auto of = [&](bool arithmetic) {
    return sum_over(explanation.steps,
                    [&](const Step& step) {
                      return step.bound && (step.bound->by() == "arithmetic") == arithmetic ? step.bound->ns() : 0;
                    }) /
           1e6;
  };
  return fmt::format("{:.4g} ms at the least: {:.4g} ms of arithmetic, {:.4g} ms of memory", of(true) + of(false),
                     of(true), of(false));
}

// The three steps that take most of the bound, or of the arithmetic if it is unknown.
std::string largest_text(const Explanation& explanation) {
  const auto value = [&](const Step& step) { return explanation.peaks ? bound_ns(step) : step.cost.flops; };
  const double total = sum_over(explanation.steps, value);
  std::vector<const Step*> order;
  for (const Step& step : explanation.steps) order.push_back(&step);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Step* a, const Step* b) { return a->cost.calls * value(*a) > b->cost.calls * value(*b); });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(3, order.size()) && total > 0; i++)
    text += fmt::format("{}{} {:.1f}%", text.empty() ? "" : ", ", order[i]->name,
                        100 * order[i]->cost.calls * value(*order[i]) / total);
  return text.empty() ? "-" : text;
}

}  // namespace

std::string summary_text(const ExplainOptions& options, const Explanation& explanation) {
  const std::vector<Step>& steps = explanation.steps;
  std::string text = fmt::format("{}: {} for {}, from {}\n", options.model, counted(int64_t(steps.size()), "step"),
                                 explanation.isa, counted(explanation.nodes, "node"));
  text += fmt::format("engines     {}\n", kinds_text(explanation));
  text += fmt::format("fused       {}\n", fusions_text(explanation));
  text += fmt::format("arithmetic  {:.4g} GFLOP of contractions in a run\n",
                      sum_over(steps, [](const Step& step) { return step.cost.flops; }) / 1e9);
  text += fmt::format("traffic     {} in a run, of which {} are constants\n",
                      bytes_text(int64_t(sum_over(steps, [](const Step& step) { return step.cost.bytes; }))),
                      bytes_text(int64_t(sum_over(steps, [](const Step& step) { return step.cost.constant_bytes; }))));
  text += fmt::format("memory      {} of weights, {} of intermediate values\n", bytes_text(explanation.weights_bytes),
                      bytes_text(explanation.arena_bytes));
  text += fmt::format("bound       {}\n", bound_text(explanation));
  text += fmt::format("largest     {}\n", largest_text(explanation));
  if (!explanation.assumed.empty())
    text +=
        fmt::format("sizes       1 is assumed for {}; --dim NAME=N sets a size\n", printable_list(explanation.assumed));
  return text;
}

void write_summary(Json& json, const Explanation& explanation) {
  const std::vector<Step>& steps = explanation.steps;
  json["isa"] = explanation.isa;
  json["nodes"] = explanation.nodes;
  json["step_count"] = steps.size();
  json["flops"] = sum_over(steps, [](const Step& step) { return step.cost.flops; });
  json["bytes"] = sum_over(steps, [](const Step& step) { return step.cost.bytes; });
  json["constant_bytes"] = sum_over(steps, [](const Step& step) { return step.cost.constant_bytes; });
  json["weights_bytes"] = explanation.weights_bytes;
  json["arena_bytes"] = explanation.arena_bytes;
  json["bound_ms"] = explanation.peaks ? Json(sum_over(steps, bound_ns) / 1e6) : Json();
  json["assumed_dims"] = explanation.assumed;
}

}  // namespace cppgen
