#include "runtime/session/bound_plans.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/base/usable_memory.h"
#include "runtime/session/library_table.h"
#include "runtime/session/session_state.h"

namespace cppgen::rt {
namespace {

constexpr size_t kMaxBoundPlans = 64;

BindOptions bind_options(const SessionOptions& options, const Plan& plan, bool outputs_in_arena) {
  return {.min_chunk_size = options.min_chunk_size,
          .memory_planning = plans_memory(options),
          .streams = options.multistream_mode ? concurrent_steps(options) : plan.streams,
          .streams_in_arena = options.multistream_max_mem_parallel_ops,
          .reuse = reuses_memory(options),
          .outputs_in_arena = outputs_in_arena};
}

}  // namespace

BoundPlans::BoundPlans(const Executable& executable, const SessionOptions& options, int threads)
    : executable_(executable), options_(options), threads_(threads), operators_(make_operators(executable)) {}

std::shared_ptr<const BoundPlan> BoundPlans::get(std::span<const int64_t> symbols, bool outputs_in_arena) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(plans_.rbegin(), plans_.rend(), [&](const auto& bound) {
    return bound->outputs_in_arena == outputs_in_arena &&
           std::equal(symbols.begin(), symbols.end(), bound->symbols.begin());
  });
  if (found != plans_.rend()) {
    std::rotate(found.base() - 1, found.base(), plans_.end());
    return plans_.back();
  }
  auto bound =
      bind_plan(executable_, operators_, symbols, bind_options(options_, executable_.plan(), outputs_in_arena));
  const int64_t scratch = checked_mul(bound->scratch_bytes, threads_, "scratch");
  const int64_t bytes = checked_add(bound->memory.arena_bytes, scratch, "arena");
  require_memory_for(*bound, bytes);
  arena_bytes_ = std::max(arena_bytes_, bytes);
  blocks_ = std::max(blocks_, bound->separate ? bound->memory.blocks : size_t(bound->memory.arena_bytes > 0));
  if (plans_.size() == kMaxBoundPlans) plans_.erase(plans_.begin());
  plans_.push_back(std::move(bound));
  return plans_.back();
}

void BoundPlans::require_memory_for(const BoundPlan& bound, int64_t own) const {
  int64_t inputs = 0, outputs = 0;
  const Plan& plan = executable_.plan();
  for (size_t i = 0; i < plan.buffers.size(); i++) {
    const PlanBuffer& buffer = plan.buffers[i];
    const PlanBufferKind kind = buffer.kind;
    const bool kept = (kind == PlanBufferKind::input && state_of_input(plan, buffer.slot)) ||
                      (kind == PlanBufferKind::output && state_of_output(plan, buffer.slot));
    if (kept) continue;  // a state object has asked for its memory
    if (kind == PlanBufferKind::input) inputs = checked_add(inputs, bound.sizes[i], "inputs");
    if (kind == PlanBufferKind::output) outputs = checked_add(outputs, bound.sizes[i], "outputs");
  }
  const int64_t all = checked_add(own, checked_add(inputs, outputs, "tensors"), "memory of a run");
  require_memory(all, options_.max_memory,
                 fmt::format("a run with these dimensions (inputs {}, outputs {}, intermediate values {} bytes)",
                             inputs, outputs, own));
}

void BoundPlans::add_to(SessionStats& stats) const {
  const std::lock_guard lock(mutex_);
  stats.arena_bytes = std::max(stats.arena_bytes, arena_bytes_);
  stats.arena_blocks = std::max(stats.arena_blocks, blocks_);
}

}  // namespace cppgen::rt
