// Types and shapes of custom operators, and the call of those that are C functions.
#include <algorithm>

#include "cppgen/custom/dims.h"
#include "cppgen/custom/operator.h"
#include "cppgen/ops/common.h"
#include "runtime/custom/call.h"
#include "runtime/plan/calls/host_custom.h"
#include "runtime/plan/host_fields.h"

namespace cppgen::custom {
namespace {

// The check of attributes has compared types with the row; graphs that are made otherwise have not seen it.
std::optional<rt::CustomValue> given_value(const ops::InferContext& c, const rt::CustomAttribute& a) {
  const Attribute* given = c.attribute(a.name);
  if (!given) return a.fallback;
  std::optional<rt::CustomValue> value;
  std::visit(
      [&](const auto& held) {
        if constexpr (std::is_constructible_v<rt::CustomValue, decltype(held)>) value = held;
      },
      *given);
  return value;
}

int input_number(const rt::CustomDescription& d, const std::string& name) {
  const auto found = std::find_if(d.inputs.begin(), d.inputs.end(), [&](const auto& i) { return i.name == name; });
  return int(found - d.inputs.begin());
}

void check_type(ops::InferContext& c, const rt::CustomDescription& d, int i) {
  const rt::CustomInput& input = d.inputs[size_t(i)];
  if (!input.type_of.empty()) return ops::require_same_dtype(c, input_number(d, input.type_of), i);
  ops::DTypes allowed = 0;
  for (DType type : input.types) allowed |= ops::bit(type);
  ops::require_dtype(c, i, allowed);
}

DType output_type(const ops::InferContext& c, const rt::CustomDescription& d, const rt::CustomOutput& output) {
  return output.type ? *output.type : c.dtype(input_number(d, output.type_of));
}

// Dimensions of the outputs as code over those of all inputs.
std::vector<rt::CustomCall::Output> coded_outputs(ops::InferContext& c, const ops::CustomOperator& op,
                                                  const Attributes& attributes) {
  const rt::CustomDescription& d = op.description();
  Dims<DimCode> dims{.attributes = &attributes};
  int64_t number = 0;
  for (size_t i = 0; i < d.inputs.size(); i++) {
    std::vector<DimCode>& own = dims.tensors[d.inputs[i].name];
    for (size_t k = 0; k < c.shape(int(i)).size(); k++) own.push_back(DimCode::symbol(number++));
  }
  bind(c, d, dims);
  std::vector<rt::CustomCall::Output> outputs;
  for (size_t o = 0; o < d.outputs.size(); o++) {
    rt::CustomCall::Output& output = outputs.emplace_back();
    output.type = output_type(c, d, d.outputs[o]);
    for (DimCode& dim : shape_of(c, op, o, dims)) output.dims.push_back(std::move(dim.expr));
  }
  return outputs;
}

}  // namespace

Attributes attributes_of(const ops::InferContext& c, const rt::CustomDescription& d) {
  Attributes attributes;
  for (const rt::CustomAttribute& a : d.attributes) {
    std::optional<rt::CustomValue> value = given_value(c, a);
    if (!value) c.fail(fmt::format("attribute '{}' is missing or not of type {}", a.name, a.type));
    const auto* text = std::get_if<std::string>(&*value);
    if (text && !a.allowed.empty() && std::find(a.allowed.begin(), a.allowed.end(), *text) == a.allowed.end())
      c.fail(fmt::format("attribute '{}' is '{}'; allowed are {}", a.name, *text, fmt::join(a.allowed, ", ")));
    attributes.emplace(a.name, std::move(*value));
  }
  return attributes;
}

void infer(ops::InferContext& c) {
  const ops::CustomOperator& op = *c.row()->custom;
  const rt::CustomDescription& d = op.description();
  for (int i = 0; i < int(d.inputs.size()); i++) check_type(c, d, i);
  const Attributes attributes = attributes_of(c, d);
  Dims<ir::IndexExpr> dims{.attributes = &attributes};
  for (size_t i = 0; i < d.inputs.size(); i++) dims.tensors[d.inputs[i].name] = c.shape(int(i));
  bind(c, d, dims);
  for (size_t o = 0; o < d.outputs.size(); o++) {
    const DType type = output_type(c, d, d.outputs[o]);
    const Shape shape = shape_of(c, op, o, dims);
    ops::require_size(c, shape, type);
    c.set_output(int(o), type, shape);
  }
}

rt::HostStep host(ops::InferContext& c) {
  const ops::CustomOperator& op = *c.row()->custom;
  const rt::CustomDescription& d = op.description();
  const Attributes attributes = attributes_of(c, d);
  rt::CustomCall call;
  call.label = d.label(), call.since_version = d.since_version, call.library = d.function->library;
  for (const rt::CustomAttribute& a : d.attributes) call.attributes.push_back({a.name, attributes.at(a.name)});
  call.outputs = coded_outputs(c, op, attributes);
  rt::HostStep step = ops::host_call("custom_function");
  rt::set_fields(step, rt::CustomFunctionCall{rt::to_json(call)});
  return step;
}

}  // namespace cppgen::custom
