#include "runtime/session/results.h"

#include "runtime/base/checked.h"

namespace cppgen::rt {
namespace {

std::vector<Tensor> results_together(const Plan& plan, const BoundPlan& bound, const AllocatorPointer& allocator) {
  std::vector<int64_t> offsets;
  int64_t total = 0;
  for (size_t i = 0; i < plan.outputs.size(); i++) {
    offsets.push_back(total);
    const int64_t bytes =
        checked_add(byte_size(plan.outputs[i].type, bound.output_dims[i]), kBufferAlignment - 1, "results");
    total = checked_add(total, bytes / kBufferAlignment * kBufferAlignment, "results");
  }
  const auto memory = std::make_shared<Tensor>(DType::u8, std::vector<int64_t>{total}, allocator);
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.outputs.size(); i++)
    results.emplace_back(plan.outputs[i].type, bound.output_dims[i], memory->as<char>() + offsets[i], memory);
  return results;
}

}  // namespace

std::vector<Tensor> new_results(const Plan& plan, const BoundPlan& bound, bool together,
                                const AllocatorPointer& allocator) {
  if (together) return results_together(plan, bound, allocator);
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.outputs.size(); i++)
    results.emplace_back(plan.outputs[i].type, bound.output_dims[i], allocator);
  return results;
}

std::vector<Tensor> results_in_arena(const Plan& plan, const BoundPlan& bound, RunContext& context) {
  std::vector<void*> data;
  for (size_t i = 0; i < plan.outputs.size(); i++) data.push_back(context.output(int32_t(i)));
  const std::shared_ptr<const void> arena = context.take_arena();
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.outputs.size(); i++)
    results.emplace_back(plan.outputs[i].type, bound.output_dims[i], data[i], arena);
  return results;
}

}  // namespace cppgen::rt
