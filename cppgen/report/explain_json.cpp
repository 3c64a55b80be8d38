#include "cppgen/report/explain_json.h"

#include <nlohmann/json.hpp>

#include "cppgen/flow/costs/scaling.h"
#include "cppgen/report/explained_totals.h"

namespace cppgen::report {
namespace {

using Step = Explanation::Step;

Json stored_profile_json(const StoredProfile& profile) {
  Json json;
  json["threads"] = profile.threads;
  json["mean_ms"] = profile.run_ms;
  json["under_load"] = profile.under_load;
  json["steps_ms"] = profile.steps_ms();
  json["far_from_bound"] = Json::array();
  for (const StoredProfile::Step* step : far_steps(profile))
    json["far_from_bound"].push_back({{"name", step->name}, {"ms", step->ms}, {"bound_ms", step->bound_ms}});
  return json;
}

// Adds the members "layouts", "gaps" and "movements".
void write_layouts(Json& json, const schedule::LayoutReport& report) {
  json["layouts"] = Json::array();
  for (const auto& o : report.orders) {
    Json item;
    item["order"] = o.order;
    item["tensors"] = o.tensors;
    json["layouts"].push_back(std::move(item));
  }
  json["gaps"] = Json::array();
  for (const auto& gap : report.gaps) {
    Json item;
    item["tensor"] = gap.tensor;
    item["bytes"] = gap.bytes;
    json["gaps"].push_back(std::move(item));
  }
  json["movements"] = Json::array();
  for (const auto& m : report.movements) {
    Json item;
    item["kind"] = m.kind;
    item["tensor"] = m.tensor;
    item["from"] = m.from;
    item["to"] = m.to;
    item["reason"] = m.reason;
    if (m.bytes.is_constant())
      item["bytes"] = m.bytes.constant();
    else
      item["bytes"] = ir::to_string(m.bytes);
    json["movements"].push_back(std::move(item));
  }
}

Json step_json(const Step& step, const ExplainedParts& parts) {
  Json item;
  item["name"] = step.name;
  item["engine"] = step.engine;
  item["origins"] = step.origins;
  item["loops"] = step.loops;
  item["plan"] = step.plan;
  if (!step.repeated.empty()) item["times"] = step.repeated;
  item["calls"] = step.cost.calls;
  item["flops"] = step.cost.flops;
  item["bytes"] = step.cost.bytes;
  item["constant_bytes"] = step.cost.constant_bytes;
  if (step.bound) {
    item["bound_ms"] = step.bound->ns() / 1e6;
    item["bound_by"] = step.bound->by();
    item["predicted_ms"] = step.bound->predicted_ns / 1e6;
  }
  if (parts.source) item["source"] = step.source;
  if (parts.assembly) item["assembly"] = step.assembly;
  return item;
}

Json scaling_json(const Scaling& scaling, const std::vector<Step>& steps) {
  Json json;
  json["machine"] = Json::array(), json["times"] = Json::array(), json["losses"] = Json::array();
  for (const MachineNumber& n : scaling.machine.numbers)
    json["machine"].push_back({{"name", n.name}, {"value", n.value}, {"source", n.source}, {"text", n.text}});
  for (const Scaling::Row& row : scaling.rows)
    json["times"].push_back({{"threads", row.threads},
                             {"predicted_ms", row.ms},
                             {"speed_up", row.speed_up},
                             {"efficiency", row.efficiency()}});
  json["losses_of_threads"] = scaling.most_threads;
  for (const Scaling::Loss& loss : scaling.losses)
    json["losses"].push_back({{"name", steps[loss.step].name}, {"ms", loss.ms}, {"why", loss.why}});
  json["library_steps"] = scaling.library_steps;
  return json;
}

Json temporaries_json(const Explanation& explanation) {
  Json list = Json::array();
  for (const Explanation::Temporary& it : explanation.temporaries) {
    Json item;
    item["plan"] = it.plan;
    item["offset"] = it.offset;
    item["bytes"] = it.bytes;
    item["name"] = it.name;
    item["first_step"] = it.first_step;
    item["last_step"] = it.last_step;
    list.push_back(std::move(item));
  }
  return list;
}

std::vector<size_t> all_steps(const Explanation& explanation) {
  std::vector<size_t> steps(explanation.steps.size());
  std::iota(steps.begin(), steps.end(), size_t{0});
  return steps;
}

Json outcomes_json(const schedule::DecisionLog& decisions) {
  Json list = Json::array();
  for (const auto& entry : decisions.entries) {
    Json item;
    item["rule"] = entry.rule;
    item["subject"] = entry.subject;
    item["fused"] = entry.decision.fused;
    item["reason"] = entry.decision.reason;
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

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

Json explain_json(const std::string& model, const Explanation& explanation, const ExplainedParts& parts) {
  Json json;
  json["model"] = model;
  write_summary(json, explanation);
  json["steps"] = Json::array();
  for (const size_t i : parts.steps ? *parts.steps : all_steps(explanation))
    json["steps"].push_back(step_json(explanation.steps[i], parts));
  if (parts.memory) json["temporaries"] = temporaries_json(explanation);
  if (explanation.scaling) json["scaling"] = scaling_json(*explanation.scaling, explanation.steps);
  write_layouts(json, explanation.layouts);
  json["decisions"] = outcomes_json(explanation.decisions);
  return json;
}

}  // namespace cppgen::report
