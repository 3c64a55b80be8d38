#include "runtime/base/json_text.h"
#include "runtime/plan/json_field.h"
#include "runtime/plan/module.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kValueKinds[] = {"tensor", "strings", "sequence", "optional", "optional_sequence"};
constexpr std::string_view kHostOps[] = {"plan", "function", "branch", "loop", "scan", "map"};

json infos_to_json(const std::vector<ValueInfo>& infos) {
  json list = json::array();
  for (const ValueInfo& info : infos)
    list.push_back({{"name", info.name},
                    {"kind", kValueKinds[size_t(info.kind)]},
                    {"type", name_of(info.type)},
                    {"ranked", info.ranked},
                    {"dims", info.dims},
                    {"symbols", info.symbols},
                    {"index_extent", info.index_extent}});
  return list;
}

json host_step_to_json(const HostStep& step) {
  return {{"op", kHostOps[size_t(step.op)]},
          {"plan", step.plan},
          {"function", step.function},
          {"inputs", step.inputs},
          {"outputs", step.outputs},
          {"bodies", step.bodies},
          {"captures", step.captures},
          {"integers", step.integers},
          {"texts", step.texts},
          {"results", infos_to_json(step.results)},
          {"node", step.node},
          {"origin", step.origin}};
}

json body_to_json(const HostBody& body) {
  json steps = json::array();
  for (const HostStep& step : body.steps) steps.push_back(host_step_to_json(step));
  return {{"slots", body.slots}, {"inputs", body.inputs}, {"outputs", body.outputs}, {"steps", std::move(steps)}};
}

std::vector<ValueInfo> infos_from(const Field& list) {
  std::vector<ValueInfo> infos;
  list.each([&](const Field& node) {
    infos.push_back({node["name"].text(), ValueKind(node["kind"].word(kValueKinds)), node["type"].dtype(),
                     node["ranked"].boolean(), node["dims"].integers(), node["symbols"].texts(),
                     node["index_extent"].integer()});
  });
  return infos;
}

HostStep host_step_from(const Field& node) {
  HostStep step;
  step.op = HostOp(node["op"].word(kHostOps));
  step.plan = node["plan"].index();
  step.function = node["function"].text();
  step.inputs = node["inputs"].indices();
  step.outputs = node["outputs"].indices();
  step.bodies = node["bodies"].indices();
  node["captures"].each([&](const Field& slots) { step.captures.push_back(slots.indices()); });
  step.integers = node["integers"].integers();
  step.texts = node["texts"].texts();
  step.results = infos_from(node["results"]);
  step.node = node["node"].text(), step.origin = node["origin"].text();
  return step;
}

HostBody body_from(const Field& node) {
  HostBody body;
  body.slots = node["slots"].index();
  body.inputs = node["inputs"].index();
  body.outputs = node["outputs"].indices();
  node["steps"].each([&](const Field& step) { body.steps.push_back(host_step_from(step)); });
  return body;
}

}  // namespace

std::string to_json(const Module& module) {
  json root{{"model", module.model},
            {"isa", module.isa},
            {"plans", module.plans},
            {"inputs", infos_to_json(module.inputs)},
            {"outputs", infos_to_json(module.outputs)},
            {"bounds", bounds_to_json(module.bounds)},
            {"bodies", json::array()}};
  for (const HostBody& body : module.bodies) root["bodies"].push_back(body_to_json(body));
  return json_text(root, -1) + "\n";
}

Module module_from_json(std::string_view text) {
  json document;
  try {
    document = parse_json(text);
  } catch (const json::exception& error) {
    user_error("module: not well-formed JSON: {}", error.what());
  }
  const Field root(document, "");
  Module module;
  module.model = root["model"].text();
  module.isa = root["isa"].text();
  module.plans = root["plans"].index();
  module.inputs = infos_from(root["inputs"]);
  module.outputs = infos_from(root["outputs"]);
  module.bounds = bounds_from(root["bounds"]);
  root["bodies"].each([&](const Field& node) { module.bodies.push_back(body_from(node)); });
  validate(module);
  return module;
}

}  // namespace cppgen::rt
