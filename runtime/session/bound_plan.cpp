#include "runtime/session/bound_plan.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/session/tensor.h"

namespace cppgen::rt {
namespace {

int64_t size_value(const DimExpr& expr, std::span<const int64_t> symbols, const char* what) {
  if (expr.code.empty()) return 0;
  const int64_t value = evaluate(expr, symbols);
  if (value < 0) user_error("plan: {} is {} for these dimensions", what, value);
  return value;
}

std::vector<int64_t> dims_of(const TensorInfo& info, std::span<const int64_t> symbols) {
  std::vector<int64_t> dims;
  for (const DimExpr& dim : info.dims) dims.push_back(size_value(dim, symbols, "a dimension"));
  return dims;
}

// The caller's memory has the bytes of the tensor, so kernels must not have been promised more.
void check_boundary(const Plan& plan, const BoundPlan& bound) {
  for (size_t i = 0; i < plan.buffers.size(); i++) {
    const PlanBuffer& buffer = plan.buffers[i];
    const bool input = buffer.kind == PlanBufferKind::input;
    if (!input && buffer.kind != PlanBufferKind::output) continue;
    const TensorInfo& info = (input ? plan.inputs : plan.outputs)[size_t(buffer.slot)];
    const int64_t bytes = byte_size(info.type, dims_of(info, bound.symbols));
    if (bytes != bound.sizes[i])
      user_error("plan: buffer {} has {} bytes, but '{}' has {}", i, bound.sizes[i], info.name, bytes);
  }
}

void bind_kernel(const Step& step, BoundPlan& bound, BoundStep& result, int64_t min_chunk_size) {
  result.params = bound.params.size();
  for (const DimExpr& param : step.params) bound.params.push_back(evaluate(param, bound.symbols));
  result.range = size_value(step.range, bound.symbols, "a range");
  const int64_t unit_work = std::max<int64_t>(1, size_value(step.unit_work, bound.symbols, "unit_work"));
  const int64_t work = checked_mul(result.range, unit_work, "plan: work of a step");
  result.chunks = chunk_count(result.range, work, result.flops, result.bytes, min_chunk_size);
  bound.scratch_bytes = std::max(bound.scratch_bytes, size_value(step.scratch_bytes, bound.symbols, "scratch_bytes"));
}

void bind_library(const Step& step, LibraryOperator& op, BoundPlan& bound, BoundStep& result, int64_t min_chunk_size) {
  std::vector<int64_t> params, bytes;
  for (const DimExpr& param : step.params) params.push_back(evaluate(param, bound.symbols));
  for (int32_t buffer : step.buffers) bytes.push_back(bound.sizes[size_t(buffer)]);
  result.task = op.bind({params, bytes, min_chunk_size});
  result.chunks = result.task->chunks();
  bound.scratch_bytes = std::max(bound.scratch_bytes, result.task->scratch_bytes());
}

// Of each step the operand of its product, -1 unless that is short: several of one operand save waiting for each other,
// while longer ones gain from the part of the operand that each thread has in its cache.
std::vector<int32_t> short_products(const Plan& plan, std::span<const int64_t> symbols) {
  constexpr int64_t kShort = 1 << 24;  // operations
  std::vector<int32_t> operands;
  for (const Step& step : plan.steps)
    operands.push_back(size_value(step.flops, symbols, "flops") <= kShort ? step.product_of : -1);
  return operands;
}

}  // namespace

std::shared_ptr<const BoundPlan> bind_plan(const Executable& executable,
                                           std::span<const std::unique_ptr<LibraryOperator>> operators,
                                           std::span<const int64_t> symbols, const BindOptions& options) {
  const Plan& plan = executable.plan();
  auto bound = std::make_shared<BoundPlan>();
  bound->symbols.assign(symbols.begin(), symbols.end());
  for (const PlanBuffer& buffer : plan.buffers)
    bound->sizes.push_back(size_value(buffer.bytes, symbols, "the size of a buffer"));
  for (const TensorInfo& info : plan.outputs) bound->output_dims.push_back(dims_of(info, symbols));
  check_boundary(plan, *bound);
  bound->waves = plan_waves(plan, options.streams, short_products(plan, symbols));
  bound->memory = plan_memory(lifetimes_in_waves(plan, bound->waves), bound->sizes, {options.memory_planning});

  for (size_t i = 0; i < plan.steps.size(); i++) {
    const Step& step = plan.steps[i];
    BoundStep result;
    result.flops = size_value(step.flops, symbols, "flops");
    result.bytes = size_value(step.bytes, symbols, "bytes");
    if (step.kind == StepKind::kernel) {
      bind_kernel(step, *bound, result, options.min_chunk_size);
    } else {
      bind_library(step, *operators[i], *bound, result, options.min_chunk_size);
    }
    bound->steps.push_back(std::move(result));
  }
  const int64_t scratch = checked_add(bound->scratch_bytes, kBufferAlignment - 1, "plan: scratch");
  bound->scratch_bytes = scratch / kBufferAlignment * kBufferAlignment;
  return bound;
}

}  // namespace cppgen::rt
