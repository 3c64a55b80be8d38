#include "runtime/values/input_binding.h"

#include <algorithm>
#include <set>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

void check_type_and_rank(const char* kind, const TensorInfo& info, DType type, std::span<const int64_t> dims) {
  if (type != info.type)
    user_error("{} '{}' has type {}; the model requires {}", kind, info.name, name_of(type), name_of(info.type));
  if (info.ranked && dims.size() != info.dims.size())
    user_error("{} '{}' has shape {} of {} dimensions; the model requires {}", kind, info.name, shape_text(dims),
               dims.size(), info.dims.size());
}

void check_data(const char* kind, const TensorInfo& info, std::span<const int64_t> dims, const void* data,
                const BoundaryChecks& checks) {
  const bool empty = std::find(dims.begin(), dims.end(), 0) != dims.end();
  if (!data && !empty) user_error("{} '{}' of shape {} has no data", kind, info.name, shape_text(dims));
  if (checks.alignment && reinterpret_cast<uintptr_t>(data) % size_of(info.type) != 0)
    user_error("{} '{}' is not aligned to its element size ({} bytes)", kind, info.name, size_of(info.type));
}

// "N = 3 from input 'y' axis 0, M = ..." for the symbols in `expr`.
std::string symbols_text(const Plan& plan, const DimExpr& expr, std::span<const int64_t> symbols) {
  std::string text;
  std::set<int64_t> named;
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op != DimOp::constant && op != DimOp::symbol) continue;
    const int64_t operand = expr.code[++i];
    if (op == DimOp::constant || !named.insert(operand).second) continue;
    const Symbol& symbol = plan.symbols[size_t(operand)];
    text += fmt::format("{}{} = {} from input '{}' axis {}", text.empty() ? "" : ", ", symbol.name,
                        symbols[size_t(operand)], plan.inputs[size_t(symbol.input)].name, symbol.axis);
  }
  return text;
}

[[noreturn]] void refuse_dim(const Plan& plan, const TensorInfo& info, size_t axis, int64_t found, int64_t expected,
                             std::span<const int64_t> symbols) {
  const auto& code = info.dims[axis].code;
  if (code.size() == 2 && code[0] == int64_t(DimOp::symbol)) {
    const Symbol& symbol = plan.symbols[size_t(code[1])];
    user_error("input '{}' axis {} is {}, but {} is {} from input '{}' axis {}", info.name, axis, found, symbol.name,
               expected, plan.inputs[size_t(symbol.input)].name, symbol.axis);
  }
  const std::string why = symbols_text(plan, info.dims[axis], symbols);
  user_error("input '{}' axis {} is {}; the model requires {}{}", info.name, axis, found, expected,
             why.empty() ? "" : " (" + why + ")");
}

void check_bound(const Plan& plan, const Bound& bound, std::span<const int64_t> symbols) {
  if (evaluate(bound.least, symbols) <= evaluate(bound.most, symbols)) return;
  DimExpr both = bound.least;
  both.code.insert(both.code.end(), bound.most.code.begin(), bound.most.code.end());
  user_error("the model requires {}; {}", bound.text, symbols_text(plan, both, symbols));
}

}  // namespace

void check_input_forms(const Plan& plan, std::span<const TensorView> inputs) {
  if (inputs.size() != plan.inputs.size())
    user_error("{} inputs are given; the model has {}", inputs.size(), plan.inputs.size());
  for (size_t i = 0; i < inputs.size(); i++) {
    const TensorInfo& info = plan.inputs[i];
    check_type_and_rank("input", info, inputs[i].type, inputs[i].dims);
    for (size_t axis = 0; axis < info.dims.size(); axis++)
      if (inputs[i].dims[axis] < 0) user_error("input '{}' axis {} is {}", info.name, axis, inputs[i].dims[axis]);
  }
}

void bind_inputs(const Plan& plan, std::span<const TensorView> inputs, std::span<int64_t> symbols,
                 const BoundaryChecks& checks) {
  check_input_forms(plan, inputs);
  for (size_t s = 0; s < symbols.size(); s++)
    symbols[s] = inputs[size_t(plan.symbols[s].input)].dims[size_t(plan.symbols[s].axis)];
  for (size_t i = 0; i < inputs.size() && checks.sizes; i++)
    for (size_t axis = 0; axis < plan.inputs[i].dims.size(); axis++) {
      const int64_t expected = evaluate(plan.inputs[i].dims[axis], symbols);
      if (inputs[i].dims[axis] != expected)
        refuse_dim(plan, plan.inputs[i], axis, inputs[i].dims[axis], expected, symbols);
    }
  if (!checks.bounds) return;
  for (const Bound& bound : plan.bounds) check_bound(plan, bound, symbols);
}

void check_input_data(const Plan& plan, std::span<const TensorView> inputs, const BoundaryChecks& checks) {
  for (size_t i = 0; i < inputs.size(); i++)
    check_data("input", plan.inputs[i], inputs[i].dims, inputs[i].data, checks);
}

void check_outputs(const Plan& plan, std::span<const OutputView> outputs,
                   std::span<const std::vector<int64_t>> expected, const BoundaryChecks& checks) {
  if (outputs.size() != plan.outputs.size())
    user_error("memory for {} outputs is given; the model has {}", outputs.size(), plan.outputs.size());
  for (size_t i = 0; i < outputs.size(); i++) {
    const TensorInfo& info = plan.outputs[i];
    check_type_and_rank("output", info, outputs[i].type, outputs[i].dims);
    const bool is_expected =
        std::equal(outputs[i].dims.begin(), outputs[i].dims.end(), expected[i].begin(), expected[i].end());
    if (!is_expected && (checks.sizes || !info.ranked))
      user_error("output '{}' was given shape {}; the result has shape {}", info.name, shape_text(outputs[i].dims),
                 shape_text(expected[i]));
    check_data("output", info, outputs[i].dims, outputs[i].data, checks);
  }
}

}  // namespace cppgen::rt
