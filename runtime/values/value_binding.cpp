#include "runtime/values/value_binding.h"

#include <cstring>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

constexpr std::string_view kKindNames[] = {"a tensor", "a tensor of strings", "a sequence", "an optional",
                                           "an optional sequence"};

bool fits(const TensorInfo& info, const Value& value) {
  switch (info.kind) {
    case ValueKind::tensor:
      return value.tensor();
    case ValueKind::strings:
      return value.strings();
    case ValueKind::sequence:
      return value.sequence();
    case ValueKind::optional:
      return !value.sequence();
    case ValueKind::optional_sequence:
      return value.is_empty() || value.sequence();
  }
  return false;
}

// Strings have dimensions to bind where their rank is declared.
bool has_dims(const TensorInfo& info) {
  return info.kind == ValueKind::tensor || (info.kind == ValueKind::strings && !info.dims.empty());
}

}  // namespace

std::vector<int64_t> symbols_of(const Plan& plan, std::span<const TensorView> inputs, const BoundaryChecks& checks) {
  Plan tensors;
  std::vector<int64_t> symbols;
  for (const TensorInfo& info : plan.inputs)
    if (has_dims(info)) tensors.inputs.push_back(info);
  tensors.symbols = plan.symbols, tensors.bounds = plan.bounds;
  std::vector<int32_t> position(plan.inputs.size(), -1);
  int32_t next = 0;
  for (size_t i = 0; i < plan.inputs.size(); i++)
    if (has_dims(plan.inputs[i])) position[i] = next++;
  for (Symbol& symbol : tensors.symbols) symbol.input = position[size_t(symbol.input)];
  symbols.resize(tensors.symbols.size());
  bind_inputs(tensors, inputs, symbols, checks);
  return symbols;
}

std::vector<int64_t> check_values(const Plan& plan, std::span<const Value> inputs, const BoundaryChecks& checks) {
  if (inputs.size() != plan.inputs.size())
    user_error("{} inputs are given; the model has {}", inputs.size(), plan.inputs.size());
  std::vector<TensorView> tensors;
  for (size_t i = 0; i < inputs.size(); i++) {
    const TensorInfo& info = plan.inputs[i];
    if (!fits(info, inputs[i]))
      user_error("input '{}' is {}; the model requires {}", info.name, inputs[i].description(),
                 kKindNames[size_t(info.kind)]);
    if (!has_dims(info)) continue;
    tensors.push_back(inputs[i].strings() ? TensorView{info.type, inputs[i].strings()->dims, nullptr}
                                          : inputs[i].tensor()->view());
  }
  return symbols_of(plan, tensors, checks);
}

std::vector<Value> copies_of(std::span<const TensorView> inputs) {
  std::vector<Value> values;
  for (const TensorView& view : inputs) values.emplace_back(copy_of(view));
  return values;
}

std::vector<Tensor> tensors_of(const Plan& plan, std::vector<Value> outputs) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < outputs.size(); i++) {
    if (!outputs[i].tensor())
      user_error("output '{}' is {}, which this call cannot return", plan.outputs[i].name, outputs[i].description());
    tensors.push_back(std::move(outputs[i]).take_tensor());
  }
  return tensors;
}

void copy_results(const Plan& plan, const std::vector<Tensor>& results, std::span<const OutputView> outputs) {
  std::vector<std::vector<int64_t>> dims;
  for (const Tensor& result : results) dims.push_back(result.dims());
  check_outputs(plan, outputs, dims);
  for (size_t i = 0; i < results.size(); i++)
    if (results[i].bytes() > 0) std::memcpy(outputs[i].data, results[i].data(), size_t(results[i].bytes()));
}

std::vector<std::vector<int64_t>> declared_output_dims(const Plan& plan, std::span<const TensorView> inputs) {
  const std::vector<int64_t> symbols = symbols_of(plan, inputs);
  std::vector<std::vector<int64_t>> all;
  for (const TensorInfo& output : plan.outputs) {
    all.emplace_back();
    if (!output.ranked)
      user_error("the number of dimensions of output '{}' depends on the data of the inputs", output.name);
    for (const DimExpr& dim : output.dims) {
      if (dim.code[0] == int64_t(DimOp::symbol) && dim.code[1] >= int64_t(symbols.size()))
        user_error("the dimensions of output '{}' depend on the data of the inputs", output.name);
      all.back().push_back(evaluate(dim, symbols));
    }
  }
  return all;
}

}  // namespace cppgen::rt
