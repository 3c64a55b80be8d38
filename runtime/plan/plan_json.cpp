#include <cmath>

#include "runtime/base/json_text.h"
#include "runtime/plan/json_field.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kBufferKinds[] = {"input", "output", "constant", "temporary"};
constexpr std::string_view kStepKinds[] = {"kernel", "library"};

// JSON has no infinities and no NaN: these are words.
json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json exprs_to_json(const std::vector<DimExpr>& exprs) {
  json list = json::array();
  for (const DimExpr& expr : exprs) list.push_back(expr.code);
  return list;
}

json tensor_to_json(const TensorInfo& tensor) {
  return {{"name", tensor.name},
          {"type", name_of(tensor.type)},
          {"dims", exprs_to_json(tensor.dims)},
          {"index_extent", tensor.index_extent}};
}

json buffer_to_json(const PlanBuffer& buffer) {
  json node{{"kind", kBufferKinds[size_t(buffer.kind)]},
            {"bytes", buffer.bytes.code},
            {"type", name_of(buffer.type)},
            {"name", buffer.name}};
  switch (buffer.kind) {
    case PlanBufferKind::input:
    case PlanBufferKind::output:
      node["slot"] = buffer.slot;
      break;
    case PlanBufferKind::constant:
      node["offset"] = buffer.offset;
      break;
    case PlanBufferKind::temporary:
      node["first_step"] = buffer.first_step;
      node["last_step"] = buffer.last_step;
      node["shares"] = buffer.shares;
  }
  return node;
}

json step_to_json(const Step& step) {
  json numbers = json::array();
  for (double number : step.numbers) numbers.push_back(number_to_json(number));
  return {{"kind", kStepKinds[size_t(step.kind)]},
          {"name", step.name},
          {"shared", step.shared},
          {"object", step.object},
          {"buffers", step.buffers},
          {"output_count", step.output_count},
          {"reads_back", step.reads_back},
          {"params", exprs_to_json(step.params)},
          {"numbers", numbers},
          {"range", step.range.code},
          {"unit_work", step.unit_work.code},
          {"scratch_bytes", step.scratch_bytes.code},
          {"product_of", step.product_of},
          {"engine", step.engine},
          {"origins", step.origins},
          {"flops", step.flops.code},
          {"bytes", step.bytes.code}};
}

json repetition_to_json(const Repetition& repetition) {
  json carried = json::array();
  for (const CarriedBuffers& c : repetition.carried) carried.push_back({c.initial, c.before, c.after});
  return {{"steps", repetition.steps.code},
          {"first_step", repetition.first_step},
          {"last_step", repetition.last_step},
          {"carried", carried}};
}

Repetition repetition_from(const Field& node) {
  Repetition repetition;
  repetition.steps = node["steps"].expr();
  repetition.first_step = node["first_step"].index();
  repetition.last_step = node["last_step"].index();
  node["carried"].each([&](const Field& item) {
    const std::vector<int32_t> buffers = item.indices();
    if (buffers.size() != 3) user_error("plan: carried lists {} buffers instead of 3", buffers.size());
    repetition.carried.push_back({buffers[0], buffers[1], buffers[2]});
  });
  return repetition;
}

json state_to_json(const KeptState& state) {
  return {{"past", state.past}, {"present", state.present}, {"axis", state.axis}, {"capacity", state.capacity}};
}

KeptState state_from(const Field& node) {
  return {node["past"].index(), node["present"].index(), node["axis"].index(), node["capacity"].integer()};
}

TensorInfo tensor_from(const Field& node) {
  return {node["name"].text(), node["type"].dtype(), node["dims"].exprs(), node["index_extent"].integer()};
}

PlanBuffer buffer_from(const Field& node) {
  PlanBuffer buffer;
  buffer.kind = PlanBufferKind(node["kind"].word(kBufferKinds));
  buffer.bytes = node["bytes"].expr();
  buffer.type = node["type"].dtype();
  buffer.name = node["name"].text();
  switch (buffer.kind) {
    case PlanBufferKind::input:
    case PlanBufferKind::output:
      buffer.slot = node["slot"].index();
      break;
    case PlanBufferKind::constant:
      buffer.offset = node["offset"].integer();
      break;
    case PlanBufferKind::temporary:
      buffer.first_step = node["first_step"].index();
      buffer.last_step = node["last_step"].index();
      buffer.shares = node["shares"].index();
  }
  return buffer;
}

Step step_from(const Field& node) {
  Step step;
  step.kind = StepKind(node["kind"].word(kStepKinds));
  step.name = node["name"].text();
  step.shared = node["shared"].text();
  step.object = node["object"].index();
  node["buffers"].each([&](const Field& item) { step.buffers.push_back(item.index()); });
  step.output_count = node["output_count"].index();
  step.reads_back = node["reads_back"].indices();
  step.params = node["params"].exprs();
  node["numbers"].each([&](const Field& item) { step.numbers.push_back(item.number()); });
  step.range = node["range"].expr();
  step.unit_work = node["unit_work"].expr();
  step.scratch_bytes = node["scratch_bytes"].expr();
  step.product_of = node["product_of"].index();
  step.engine = node["engine"].text();
  step.origins = node["origins"].texts();
  step.flops = node["flops"].expr();
  step.bytes = node["bytes"].expr();
  return step;
}

Plan plan_from(const Field& root) {
  Plan plan;
  plan.model = root["model"].text();
  plan.isa = root["isa"].text();
  root["symbols"].each([&](const Field& node) {
    plan.symbols.push_back({node["name"].text(), node["input"].index(), node["axis"].index()});
  });
  plan.bounds = bounds_from(root["bounds"]);
  root["inputs"].each([&](const Field& node) { plan.inputs.push_back(tensor_from(node)); });
  root["outputs"].each([&](const Field& node) { plan.outputs.push_back(tensor_from(node)); });
  root["buffers"].each([&](const Field& node) { plan.buffers.push_back(buffer_from(node)); });
  root["steps"].each([&](const Field& node) { plan.steps.push_back(step_from(node)); });
  root["repetitions"].each([&](const Field& node) { plan.repetitions.push_back(repetition_from(node)); });
  plan.objects = root["objects"].texts();
  plan.streams = root["streams"].integer();
  plan.weights_bytes = root["weights_bytes"].integer();
  root["parameters"].each([&](const Field& node) {
    plan.parameters.push_back({tensor_from(node), node["buffer"].index()});
  });
  root["states"].each([&](const Field& node) { plan.states.push_back(state_from(node)); });
  plan.checks = root["checks"].texts();
  return plan;
}

}  // namespace

std::string to_json(const Plan& plan) {
  json root{{"model", plan.model},
            {"isa", plan.isa},
            {"symbols", json::array()},
            {"inputs", json::array()},
            {"outputs", json::array()},
            {"buffers", json::array()},
            {"steps", json::array()},
            {"repetitions", json::array()},
            {"states", json::array()},
            {"objects", plan.objects},
            {"weights_bytes", plan.weights_bytes},
            {"streams", plan.streams},
            {"checks", plan.checks},
            {"bounds", bounds_to_json(plan.bounds)}};
  for (const Symbol& symbol : plan.symbols)
    root["symbols"].push_back({{"name", symbol.name}, {"input", symbol.input}, {"axis", symbol.axis}});
  for (const TensorInfo& tensor : plan.inputs) root["inputs"].push_back(tensor_to_json(tensor));
  for (const TensorInfo& tensor : plan.outputs) root["outputs"].push_back(tensor_to_json(tensor));
  for (const PlanBuffer& buffer : plan.buffers) root["buffers"].push_back(buffer_to_json(buffer));
  for (const Step& step : plan.steps) root["steps"].push_back(step_to_json(step));
  root["parameters"] = json::array();
  for (const Parameter& parameter : plan.parameters) {
    root["parameters"].push_back(tensor_to_json(parameter.info));
    root["parameters"].back()["buffer"] = parameter.buffer;
  }
  for (const Repetition& repetition : plan.repetitions) root["repetitions"].push_back(repetition_to_json(repetition));
  for (const KeptState& state : plan.states) root["states"].push_back(state_to_json(state));
  return json_text(root, -1) + "\n";
}

Plan plan_from_json(std::string_view text) {
  json root;
  try {
    root = parse_json(text);
  } catch (const json::exception& error) {
    user_error("plan: not well-formed JSON: {}", error.what());
  }
  Plan plan = plan_from(Field(root, ""));
  validate(plan);
  return plan;
}

}  // namespace cppgen::rt
