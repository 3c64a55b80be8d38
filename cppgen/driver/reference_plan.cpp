#include "cppgen/driver/reference_plan.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "cppgen/ir/expr.h"
#include "cppgen/package/dim_code.h"
#include "runtime/session/input_binding.h"

namespace cppgen {
namespace {

using ir::BufferId;
using ir::BufferKind;
using ir::Expr;

// Which graph inputs the integers in each buffer are made of, through any number of element-wise statements, and the
// least extent that each input's values are checked against as indices.
class IndexInputs {
 public:
  explicit IndexInputs(const ir::Program& program) : program_(program) {
    for (const ir::Statement& statement : program.statements)
      if (const auto* nest = std::get_if<ir::LoopNest>(&statement)) visit(*nest);
  }

  int64_t extent(BufferId input) const {
    const auto it = extents_.find(input);
    return it == extents_.end() ? 0 : it->second;
  }

 private:
  void visit(const ir::LoopNest& nest) {
    std::vector<Expr> roots;
    for (const ir::Reduction& reduction : nest.reductions) roots.push_back(reduction.value);
    for (const ir::Store& store : nest.stores) {
      roots.push_back(store.value);
      for (const ir::Indirect& indirect : store.indirects) note(indirect);
    }
    for (Expr e : ir::postorder(roots))
      if (e->kind == ir::ExprKind::load)
        for (const ir::Indirect& indirect : e->indirects) note(indirect);
    if (!nest.reductions.empty()) return;
    for (const ir::Store& store : nest.stores)
      if (is_int(program_.buffer(store.buffer).type)) sources_[store.buffer].merge(sources_of(store.value));
  }

  std::set<BufferId> sources_of(Expr value) const {
    std::set<BufferId> sources;
    for (Expr e : ir::postorder({&value, 1})) {
      if (e->kind != ir::ExprKind::load || !is_int(program_.buffer(e->buffer).type)) continue;
      if (program_.buffer(e->buffer).kind == BufferKind::input) sources.insert(e->buffer);
      if (const auto it = sources_.find(e->buffer); it != sources_.end())
        sources.insert(it->second.begin(), it->second.end());
    }
    return sources;
  }

  void note(const ir::Indirect& indirect) {
    const IndexExpr extent = indirect.variable->extent;
    if (!extent.is_constant()) return;
    for (BufferId input : sources_of(indirect.value)) {
      const auto [at, is_new] = extents_.emplace(input, extent.constant());
      if (!is_new) at->second = std::min(at->second, extent.constant());
    }
  }

  const ir::Program& program_;
  std::map<BufferId, std::set<BufferId>> sources_;
  std::map<BufferId, int64_t> extents_;
};

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
  } else {
    const auto& call = std::get<ir::LibraryCall>(statement);
    step.name = call.function, step.origins = call.origins, step.kind = rt::StepKind::library;
  }
  return step;
}

ir::HostTensor host_tensor(const rt::TensorView& view) {
  ir::HostTensor tensor{view.type, {view.dims.begin(), view.dims.end()}, {}};
  const auto* bytes = static_cast<const std::byte*>(view.data);
  tensor.bytes.assign(bytes, bytes + rt::byte_size(view.type, view.dims));
  return tensor;
}

}  // namespace

rt::Plan reference_plan(const ReferenceModel& model) {
  const ir::Program& program = model.program();
  rt::Plan plan;
  plan.isa = kInterpreterEngine;
  plan.symbols = symbols_of(program);
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < plan.symbols.size(); i++) numbers[plan.symbols[i].name] = int64_t(i);
  const package::DimCoder coder(numbers);
  const IndexInputs indices(program);
  for (size_t i = 0; i < program.inputs.size(); i++) {
    const ir::Buffer& buffer = program.buffer(program.inputs[i]);
    rt::TensorInfo info{model.input_names()[i], buffer.type, {}, indices.extent(buffer.id)};
    for (IndexExpr dim : buffer.shape) info.dims.push_back(coder.code(dim));
    plan.inputs.push_back(std::move(info));
  }
  for (size_t i = 0; i < program.outputs.size(); i++)
    plan.outputs.push_back({model.output_names()[i], program.buffer(program.outputs[i]).type, {}, 0});
  for (const ir::Statement& statement : program.statements) plan.steps.push_back(step_of(statement));
  return plan;
}

std::vector<rt::Tensor> run_reference(const ReferenceModel& model, const rt::Plan& plan,
                                      std::span<const rt::TensorView> inputs) {
  std::vector<int64_t> symbols(plan.symbols.size());
  rt::bind_inputs(plan, inputs, symbols);
  rt::check_input_data(plan, inputs);
  std::vector<ir::HostTensor> host;
  for (const rt::TensorView& input : inputs) host.push_back(host_tensor(input));
  std::vector<rt::Tensor> outputs;
  for (const ir::HostTensor& result : model.run(host)) {
    rt::Tensor tensor(result.type, result.dims);
    if (!result.bytes.empty()) std::memcpy(tensor.data(), result.bytes.data(), result.bytes.size());
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace cppgen
