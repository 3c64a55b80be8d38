#include "runtime/plan/costs_json.h"

#include "runtime/base/json_text.h"
#include "runtime/plan/json_field.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kCostsVersion = 1;

json step_costs_to_json(const Step& step) {
  json node{{"rate", step.rate}};
  each_cost([&](const char* name, const DimExpr& amount) { node[name] = amount.code; }, step.costs);
  return node;
}

void set_costs(Plan& plan, const Field& list) {
  size_t count = 0;
  list.each([&](const Field& node) {
    if (count >= plan.steps.size()) user_error("costs: they are of more than {} steps", plan.steps.size());
    Step& step = plan.steps[count++];
    step.rate = node["rate"].number();
    each_cost([&](const char* name, DimExpr& amount) { amount = node[name].expr(); }, step.costs);
  });
  if (count < plan.steps.size()) user_error("costs: they are of {} steps instead of {}", count, plan.steps.size());
  plan.has_costs = true;
  validate(plan);
}

}  // namespace

std::string costs_to_json(std::span<const Plan> plans) {
  json root{{"version", kCostsVersion}, {"plans", json::array()}};
  for (const Plan& plan : plans) {
    json steps = json::array();
    for (const Step& step : plan.steps) steps.push_back(step_costs_to_json(step));
    root["plans"].push_back(std::move(steps));
  }
  return json_text(root, -1) + "\n";
}

bool costs_from_json(std::string_view text, std::span<Plan* const> plans) {
  const json root = parse_json_or_discard(text);
  if (root.is_discarded()) user_error("costs: not well-formed JSON");
  const Field file(root, "costs");
  if (file["version"].integer() != kCostsVersion) return false;
  size_t count = 0;
  file["plans"].each([&](const Field& list) {
    if (count >= plans.size()) user_error("costs: they are of more than {} plans", plans.size());
    set_costs(*plans[count++], list);
  });
  if (count < plans.size()) user_error("costs: they are of {} plans instead of {}", count, plans.size());
  return true;
}

}  // namespace cppgen::rt
