#include "cppgen/cli/explain_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cppgen/cli/command_support.h"
#include "runtime/base/printable.h"
#include "runtime/plan/module.h"

namespace cppgen {
namespace {

using Step = Explanation::Step;

template <class Value>
double sum_over(const std::vector<Step>& steps, const Value& value) {
  return std::accumulate(steps.begin(), steps.end(), 0.0,
                         [&](double sum, const Step& step) { return sum + step.cost.calls * value(step); });
}

double bound_ns(const Step& step) { return step.bound ? step.bound->ns() : 0; }
double predicted_ns(const Step& step) { return step.bound ? step.bound->predicted_ns : 0; }

std::string kinds_text(const Explanation& explanation) {
  std::map<std::string, int64_t> engines;
  for (const Step& step : explanation.steps) engines[step.engine]++;
  std::string text;
  for (const auto& [engine, count] : engines) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, engine);
  return text;
}

// Steps on the host with bodies, whose runs depend on data.
std::vector<std::string> control_flow(const Explanation& explanation) {
  std::vector<std::string> names;
  for (const Step& step : explanation.steps)
    if (step.engine == rt::kHostEngine &&
        (step.name == "if" || step.name == "loop" || step.name == "scan" || step.name == "map"))
      names.insert(names.end(), step.origins.begin(), step.origins.end());
  return names;
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

using MeasuredStep = StoredProfile::Step;

// Those that take more than twice their bound, and more than a hundredth of all steps beyond it; the largest first.
std::vector<const MeasuredStep*> far_steps(const StoredProfile& profile) {
  constexpr double kFar = 2, kShare = 0.01;
  const auto excess = [](const MeasuredStep& step) { return step.ms - step.bound_ms; };
  std::vector<const MeasuredStep*> steps;
  for (const MeasuredStep& step : profile.steps)
    if (step.bound_ms > 0 && step.ms > kFar * step.bound_ms && excess(step) > kShare * profile.steps_ms())
      steps.push_back(&step);
  std::stable_sort(steps.begin(), steps.end(),
                   [&](const MeasuredStep* a, const MeasuredStep* b) { return excess(*a) > excess(*b); });
  return steps;
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

Json stored_profile_json(const StoredProfile& profile) {
  Json json;
  json["threads"] = profile.threads;
  json["mean_ms"] = profile.run_ms;
  json["under_load"] = profile.under_load;
  json["steps_ms"] = profile.steps_ms();
  json["far_from_bound"] = Json::array();
  for (const MeasuredStep* step : far_steps(profile))
    json["far_from_bound"].push_back({{"name", step->name}, {"ms", step->ms}, {"bound_ms", step->bound_ms}});
  return json;
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

void write_summary(Json& json, const Explanation& explanation) {
  const std::vector<Step>& steps = explanation.steps;
  json["isa"] = explanation.isa;
  json["nodes"] = explanation.nodes;
  json["step_count"] = steps.size();
  json["flops"] = sum_over(steps, [](const Step& step) { return step.cost.flops; });
  json["bytes"] = sum_over(steps, [](const Step& step) { return step.cost.bytes; });
  json["constant_bytes"] = sum_over(steps, [](const Step& step) { return step.cost.constant_bytes; });
  json["weights_bytes"] = explanation.memory.weights;
  json["inputs_bytes"] = explanation.memory.inputs;
  json["outputs_bytes"] = explanation.memory.outputs;
  json["arenas_bytes"] = explanation.memory.arenas;
  json["scratch_bytes"] = explanation.memory.scratch;
  json["peak_bytes"] = explanation.memory.peak();
  json["arena_bytes"] = explanation.largest_arena();
  json["bound_ms"] = sum_over(steps, bound_ns) / 1e6;
  json["predicted_ms"] = sum_over(steps, predicted_ns) / 1e6;
  json["peaks_are_assumed"] = explanation.peaks_are_assumed;
  json["peaks_under_load"] = explanation.peaks.under_load;
  json["profile"] = explanation.profile ? stored_profile_json(*explanation.profile) : Json();
  json["assumed_dims"] = Json::array(), json["assumed_sizes"] = Json::object();
  for (const auto& [name, size] : explanation.assumed)
    json["assumed_dims"].push_back(name), json["assumed_sizes"][name] = size;
  json["bodies_count_once"] = control_flow(explanation);
}

}  // namespace cppgen
