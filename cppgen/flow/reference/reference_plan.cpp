#include "cppgen/flow/reference/reference_plan.h"

#include <cstring>
#include <map>
#include <set>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/package/bounds.h"
#include "cppgen/package/dim_code.h"
#include "cppgen/package/index_extents.h"
#include "runtime/values/input_binding.h"

namespace cppgen {
namespace {

std::vector<rt::Symbol> symbols_of(const ir::Program& program) {
  std::vector<rt::Symbol> symbols;
  std::set<std::string> seen;
  for (size_t i = 0; i < program.inputs.size(); i++) {
    const auto& shape = program.buffer(program.inputs[i]).shape;
    for (size_t axis = 0; axis < shape.size(); axis++) {
      const ir::IndexNode* node = shape[axis].node();
      if (node && node->op == ir::IndexOp::variable && seen.insert(node->name).second)
        symbols.push_back({node->name, int32_t(i), int32_t(axis)});
    }
  }
  return symbols;
}

rt::Step step_of(const ir::Statement& statement) {
  rt::Step step;
  step.engine = kInterpreterEngine;
  if (const auto* nest = std::get_if<ir::LoopNest>(&statement)) {
    step.name = nest->name, step.origins = nest->origins;
  } else if (const auto* call = std::get_if<ir::LibraryCall>(&statement)) {
    step.name = call->function, step.origins = call->origins, step.kind = rt::StepKind::library;
  }
  return step;
}

// Each statement of a repetition occurs once.
void add_steps(const std::vector<ir::Statement>& statements, std::vector<rt::Step>& steps) {
  for (const ir::Statement& statement : statements) {
    if (const auto* repetition = std::get_if<ir::Repetition>(&statement)) {
      add_steps(repetition->body, steps);
    } else {
      steps.push_back(step_of(statement));
    }
  }
}

ir::HostTensor host_tensor(const rt::TensorView& view) {
  ir::HostTensor tensor{view.type, {view.dims.begin(), view.dims.end()}, {}};
  const auto* bytes = static_cast<const std::byte*>(view.data);
  tensor.bytes.assign(bytes, bytes + rt::byte_size(view.type, view.dims));
  return tensor;
}

rt::Plan plan_of(const ReferenceModel::Part& part) {
  const ir::Program& program = part.program;
  rt::Plan plan;
  plan.isa = kInterpreterEngine;
  plan.symbols = symbols_of(program);
  plan.bounds = package::bounds_of(*program.index, plan.symbols, package::size_bounds(program));
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < plan.symbols.size(); i++) numbers[plan.symbols[i].name] = int64_t(i);
  const package::DimCoder coder(numbers);
  const auto extents = package::index_extents(program);
  for (size_t i = 0; i < program.inputs.size(); i++) {
    const ir::Buffer& buffer = program.buffer(program.inputs[i]);
    rt::TensorInfo info{part.input_names[i], buffer.type, {}, extents[i]};
    for (IndexExpr dim : buffer.shape) info.dims.push_back(coder.code(dim));
    plan.inputs.push_back(std::move(info));
  }
  for (size_t i = 0; i < program.outputs.size(); i++)
    plan.outputs.push_back({part.output_names[i], program.buffer(program.outputs[i]).type, {}, 0});
  add_steps(program.statements, plan.steps);
  return plan;
}

std::vector<rt::Tensor> run_program(const ir::Program& program, std::span<const rt::TensorView> inputs,
                                    int64_t max_memory) {
  std::vector<ir::HostTensor> host;
  for (const rt::TensorView& input : inputs) host.push_back(host_tensor(input));
  std::vector<rt::Tensor> outputs;
  for (const ir::HostTensor& result : ir::interpret(program, host, {}, {}, max_memory)) {
    rt::Tensor tensor(result.type, result.dims);
    if (tensor.bytes() > 0) std::memcpy(tensor.data(), result.bytes.data(), size_t(tensor.bytes()));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace

rt::Plan reference_plan(const ReferenceModel& model) {
  if (!model.module()) return plan_of(model.parts()[0]);
  std::vector<rt::Plan> plans;
  for (const auto& part : model.parts()) plans.push_back(plan_of(part));
  std::vector<const rt::Plan*> pointers;
  for (const rt::Plan& plan : plans) pointers.push_back(&plan);
  rt::Module module = *model.module();
  note_index_extents(module, [&](size_t plan, size_t input) { return plans[plan].inputs[input].index_extent; });
  rt::Plan outline = rt::outline_of(module, pointers);
  outline.isa = kInterpreterEngine;
  return outline;
}

rt::ModelRunner reference_runner(const ReferenceModel& model, const rt::Plan& plan, std::function<void()> before_step) {
  auto run_plan = [&](int32_t part, std::span<const rt::TensorView> inputs) {
    if (!model.module()) {
      std::vector<int64_t> symbols(plan.symbols.size());
      rt::bind_inputs(plan, inputs, symbols);
      rt::check_input_data(plan, inputs);
    }
    return run_program(model.parts()[size_t(part)].program, inputs, model.max_memory());
  };
  return {plan, model.module(), run_plan, std::move(before_step), model.custom_operators()};
}

}  // namespace cppgen
