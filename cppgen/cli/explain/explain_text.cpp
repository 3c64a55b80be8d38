#include "cppgen/cli/explain/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/cli/explain/explain_summary.h"
#include "cppgen/cli/explain/layout_text.h"
#include "cppgen/cli/explain/scaling_text.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/flow/explain/decision_text.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

using Step = Explanation::Step;

std::string cost_text(const Step& step) {
  std::string text = fmt::format("{:.4g} GFLOP, {}", step.cost.flops / 1e9, bytes_text(int64_t(step.cost.bytes)));
  if (step.bound)
    text += fmt::format("; predicted {:.4g} us, at the least {:.4g} us ({})", step.bound->predicted_ns / 1e3,
                        step.bound->ns() / 1e3, step.bound->by());
  return text;
}

std::string step_text(const Step& step, size_t number, const ExplainOptions& options) {
  std::string text = fmt::format("\n{:>4}  {} ({})\n", number, step.name, step.engine);
  if (!step.repeated.empty()) text += fmt::format("      times: {}\n", step.repeated);
  if (!step.loops.empty()) text += fmt::format("      loops: {}\n", step.loops);
  if (!step.plan.empty()) text += fmt::format("      plan: {}\n", step.plan);
  if (step.cost.bytes > 0) text += fmt::format("      cost: {}\n", cost_text(step));
  if (!step.origins.empty()) text += fmt::format("      nodes: {}\n", printable_list(step.origins));
  if (options.source && !step.source.empty()) text += "\n" + step.source + "\n";
  if (options.assembly && !step.assembly.empty()) text += "\n" + step.assembly + "\n";
  return text;
}

std::string memory_text(const Explanation& explanation) {
  std::string text;
  for (size_t plan = 0; plan < explanation.arenas.size(); plan++) {
    const std::string of_plan = explanation.arenas.size() > 1 ? fmt::format(" of plan {}", plan) : "";
    text += fmt::format("\nintermediate values{} in {}\n{:>12} {:>12}  {}\n", of_plan,
                        bytes_text(explanation.arenas[plan]), "offset", "bytes", "written first by, read last by");
    for (const Explanation::Temporary& it : explanation.temporaries)
      if (it.plan == plan)
        text += fmt::format("{:>12} {:>12}  {}, {}\n", it.offset, it.bytes, it.first_step, it.last_step);
  }
  return text;
}

// Returns whether a name is that of `node` or of a node inside it: "call/relu" is one of the function that "call"
// calls, or of a module of that name.
bool has_origin(const Step& step, const std::string& node) {
  return std::any_of(step.origins.begin(), step.origins.end(), [&](const std::string& origin) {
    return origin == node || (origin.starts_with(node) && origin[node.size()] == '/');
  });
}

// Decisions whose subject names one of the nodes of these steps.
schedule::DecisionLog about(const schedule::DecisionLog& log, const Explanation& explanation,
                            const std::vector<size_t>& steps) {
  std::set<std::string> names;
  for (const size_t i : steps)
    for (const std::string& origin : explanation.steps[i].origins) names.insert(origin);
  schedule::DecisionLog result;
  for (const auto& entry : log.entries)
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return entry.subject.find(name) != entry.subject.npos; }))
      result.entries.push_back(entry);
  return result;
}

}  // namespace

bool has_node(const Explanation& explanation, const std::string& node) {
  return std::any_of(explanation.steps.begin(), explanation.steps.end(),
                     [&](const Step& step) { return has_origin(step, node); });
}

std::vector<size_t> chosen_steps(const ExplainOptions& options, const Explanation& explanation) {
  std::set<size_t> chosen;
  const auto choose = [&](const std::string& name, const char* what, const auto& matches) {
    bool found = false;
    for (size_t i = 0; i < explanation.steps.size(); i++)
      if (matches(explanation.steps[i], i)) chosen.insert(i), found = true;
    if (!found) user_error("no step has the {} '{}'", what, name);
  };
  for (const std::string& node : options.nodes)
    choose(node, "node", [&](const Step& step, size_t) { return has_origin(step, node); });
  for (const std::string& name : options.kernels)
    choose(name, "name or number",
           [&](const Step& step, size_t i) { return step.name == name || std::to_string(i) == name; });
  if (options.nodes.empty() && options.kernels.empty())
    for (size_t i = 0; i < explanation.steps.size(); i++) chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

std::string explain_text(const ExplainOptions& options, const Explanation& explanation) {
  if (explanation.scaling) return scaling_text(options, explanation);
  const std::vector<size_t> steps = chosen_steps(options, explanation);
  const bool chosen = !options.nodes.empty() || !options.kernels.empty();
  const bool listed = options.all || chosen || options.source || options.assembly;
  std::string text = chosen ? "" : summary_text(options, explanation);
  if (!listed && !options.memory)
    return text +
           "more        --all, --node NAME, --kernel NAME, --memory, --source, --asm, --passes, --threads 1,8,64\n";
  for (size_t k = 0; listed && k < steps.size(); k++) text += step_text(explanation.steps[steps[k]], steps[k], options);
  if (options.memory) text += memory_text(explanation);
  if (options.all) text += layout_text(explanation.layouts);
  if (!options.all && !chosen) return text;
  return text + "\ndecisions\n" +
         decision_text(chosen ? about(explanation.decisions, explanation, steps) : explanation.decisions);
}

}  // namespace cppgen
