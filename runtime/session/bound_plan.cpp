#include "runtime/session/bound_plan.h"

#include <algorithm>
#include <functional>
#include <map>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/package/executable.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {
namespace {

int64_t size_value(const DimExpr& expr, std::span<const int64_t> symbols, const char* what) {
  if (expr.code.empty()) return 0;
  const int64_t value = evaluate(expr, symbols);
  if (value < 0) user_error("plan: {} is {} for these dimensions", what, value);
  return value;
}

// The node whose step writes the buffer first.
std::string writer_of(const Plan& plan, size_t buffer) {
  for (const Step& step : plan.steps)
    for (size_t i = step.buffers.size() - size_t(step.output_count); i < step.buffers.size(); i++)
      if (step.buffers[i] == int32_t(buffer))
        return fmt::format("node '{}' ", step.origins.empty() ? step.name : step.origins.back());
  return "the plan ";
}

std::vector<int64_t> buffer_sizes(const Plan& plan, std::span<const int64_t> symbols) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < plan.buffers.size(); i++) {
    const DimExpr& bytes = plan.buffers[i].bytes;
    sizes.push_back(bytes.code.empty() ? 0 : evaluate(bytes, symbols));
    if (sizes.back() >= 0) continue;
    std::string dims;
    for (size_t k = 0; k < plan.symbols.size() && k < symbols.size(); k++)
      dims += fmt::format("{}{} = {}", k ? ", " : "", plan.symbols[k].name, symbols[k]);
    user_error("{}has a result of negative size for these dimensions ({})", writer_of(plan, i), dims);
  }
  return sizes;
}

std::vector<int64_t> dims_of(const TensorInfo& info, std::span<const int64_t> symbols) {
  std::vector<int64_t> dims;
  for (const DimExpr& dim : info.dims) dims.push_back(size_value(dim, symbols, "a dimension"));
  return dims;
}

// The bytes of the memory that holds an input or output: a state has room for its capacity.
int64_t boundary_bytes(const TensorInfo& info, const KeptState* state, std::span<const int64_t> symbols) {
  std::vector<int64_t> dims = dims_of(info, symbols);
  if (state) dims[size_t(state->axis)] = state->capacity;
  return byte_size(info.type, dims);
}

// The caller's memory has the size of the tensor, so the plan must not state a larger one.
void check_boundary(const Plan& plan, const BoundPlan& bound) {
  for (size_t i = 0; i < plan.buffers.size(); i++) {
    const PlanBuffer& buffer = plan.buffers[i];
    const bool input = buffer.kind == PlanBufferKind::input;
    if (!input && buffer.kind != PlanBufferKind::output) continue;
    const TensorInfo& info = (input ? plan.inputs : plan.outputs)[size_t(buffer.slot)];
    const KeptState* state = input ? state_of_input(plan, buffer.slot) : state_of_output(plan, buffer.slot);
    const int64_t bytes = boundary_bytes(info, state, bound.symbols);
    if (bytes != bound.sizes[i])
      user_error("plan: buffer {} has {} bytes, but '{}' has {}", i, bound.sizes[i], info.name, bytes);
  }
}

// Binds the steps wave by wave; those of a repetition once per iteration.
class StepBinder {
 public:
  StepBinder(const Executable& executable, std::span<const std::unique_ptr<LibraryOperator>> operators,
             int64_t min_chunk_size, BoundPlan& bound)
      : plan_(executable.plan()),
        operators_(operators),
        min_chunk_size_(min_chunk_size),
        bound_(bound),
        values_(bound.symbols) {
    values_.resize(plan_.symbols.size() + plan_.repetitions.size());
  }

  void run(std::span<const Wave> waves) {
    for (size_t w = 0; w < waves.size();) {
      const int32_t repetition = repetition_of(plan_, waves[w][0]);
      size_t end = w + 1;
      while (repetition >= 0 && end < waves.size() && repetition_of(plan_, waves[end][0]) == repetition) end++;
      if (repetition < 0) {
        add(waves[w], [&](size_t s) { return bind(s, 0); });
      } else {
        repeat(size_t(repetition), waves.subspan(w, end - w));
      }
      w = end;
    }
  }

 private:
  static constexpr int64_t kMostTimes = int64_t{1} << 24;

  const Plan& plan_;
  std::span<const std::unique_ptr<LibraryOperator>> operators_;
  const int64_t min_chunk_size_;
  BoundPlan& bound_;
  std::vector<int64_t> values_;  // of the symbols, then the times of repetitions

  // The parts of a step that depend on the iteration of its repetition.
  struct Variation {
    bool sizes = false;
    std::vector<bool> params;
    bool any_param = false;
  };

  void add(const Wave& wave, const std::function<BoundStep(size_t)>& bound_step) {
    bound_.waves.emplace_back();
    for (size_t s : wave) {
      bound_.waves.back().push_back(bound_.steps.size());
      bound_.steps.push_back(bound_step(s));
    }
  }

  void repeat(size_t r, std::span<const Wave> waves) {
    const Repetition& repetition = plan_.repetitions[r];
    const int64_t times = size_value(repetition.steps, bound_.symbols, "the length of a repetition");
    if (times > kMostTimes) user_error("{} repeated steps; allowed are up to {}", times, kMostTimes);
    check_states(repetition);
    std::map<size_t, Variation> variations;
    std::map<size_t, size_t> first;  // positions of the steps of the first time
    for (int64_t time = 0; time < times; time++) {
      values_[plan_.symbols.size() + r] = time;
      const int32_t state = (time == 0 ? kFirstTime : 0) + ((times - time) % 2 ? kOddRest : 0);
      for (const Wave& wave : waves)
        add(wave, [&](size_t s) {
          if (time > 0) return bind_again(bound_.steps[first[s]], state, variations[s]);
          first[s] = bound_.steps.size(), variations[s] = variation_of(plan_.steps[s], r);
          return bind(s, state);
        });
    }
  }

  void check_states(const Repetition& repetition) const {
    for (const CarriedBuffers& c : repetition.carried)
      for (int32_t id : {c.before, c.after})
        if (bound_.sizes[size_t(id)] != bound_.sizes[size_t(c.initial)])
          user_error("plan: the carried buffers {} and {} differ in size", id, c.initial);
  }

  Variation variation_of(const Step& step, size_t repetition) const {
    const auto time = int64_t(plan_.symbols.size() + repetition);
    Variation v;
    for (const DimExpr* e : {&step.range, &step.unit_work, &step.scratch_bytes, &step.flops, &step.bytes})
      v.sizes |= uses_symbol(*e, time);
    each_cost([&](const char*, const DimExpr& amount) { v.sizes |= uses_symbol(amount, time); }, step.costs);
    for (const DimExpr& param : step.params) v.params.push_back(uses_symbol(param, time));
    v.any_param = std::find(v.params.begin(), v.params.end(), true) != v.params.end();
    return v;
  }

  // Binds it like the first iteration, except for the parts that vary.
  BoundStep bind_again(BoundStep again, int32_t state, const Variation& variation) {
    const Step& step = plan_.steps[again.step];
    if (variation.sizes || (variation.any_param && step.kind == StepKind::library)) return bind(again.step, state);
    again.state = state;
    if (!variation.any_param) return again;
    const size_t before = again.params;
    again.params = bound_.params.size();
    for (size_t p = 0; p < step.params.size(); p++)
      bound_.params.push_back(variation.params[p] ? evaluate(step.params[p], values_) : bound_.params[before + p]);
    return again;
  }

  BoundStep bind(size_t s, int32_t state) {
    const Step& step = plan_.steps[s];
    BoundStep result;
    result.step = s, result.state = state;
    result.flops = size_value(step.flops, values_, "flops");
    result.bytes = size_value(step.bytes, values_, "bytes");
    each_cost(
        [&](const char* name, const DimExpr& amount, int64_t& value) { value = size_value(amount, values_, name); },
        step.costs, result.costs);
    step.kind == StepKind::kernel ? bind_kernel(step, result) : bind_library(step, *operators_[s], result);
    return result;
  }

  void bind_kernel(const Step& step, BoundStep& result) {
    result.params = bound_.params.size();
    for (const DimExpr& param : step.params) bound_.params.push_back(evaluate(param, values_));
    result.range = size_value(step.range, values_, "a range");
    const int64_t unit_work = std::max<int64_t>(1, size_value(step.unit_work, values_, "unit_work"));
    const int64_t work = checked_mul(result.range, unit_work, "plan: work of a step");
    result.chunks = chunk_count(result.range, work, result.flops, result.bytes, min_chunk_size_);
    bound_.scratch_bytes = std::max(bound_.scratch_bytes, size_value(step.scratch_bytes, values_, "scratch_bytes"));
  }

  void bind_library(const Step& step, LibraryOperator& op, BoundStep& result) {
    std::vector<int64_t> params, bytes;
    for (const DimExpr& param : step.params) params.push_back(evaluate(param, values_));
    for (int32_t buffer : step.buffers) bytes.push_back(bound_.sizes[size_t(buffer)]);
    try {
      result.task = op.bind({params, bytes, min_chunk_size_, step.numbers});
    } catch (const UserError& e) {
      user_error("node '{}': {}", fmt::join(step.origins, "', '"), e.what());
    }
    result.chunks = result.task->chunks();
    bound_.scratch_bytes = std::max(bound_.scratch_bytes, result.task->scratch_bytes());
  }
};

// The short steps that run together if they do not wait for each other, as numbers of groups: products of one operand,
// because this saves waiting (longer ones gain from the part of the operand in each thread's cache), and steps of one
// repetition, such as the two directions of a recurrence.
std::vector<int32_t> steps_together(const Plan& plan, std::span<const int64_t> symbols) {
  constexpr int64_t kShort = 1 << 24;  // operations
  std::vector<int32_t> numbers;
  std::vector<int64_t> values(symbols.begin(), symbols.end());
  values.resize(symbols.size() + plan.repetitions.size());  // their first times
  for (size_t s = 0; s < plan.steps.size(); s++) {
    const Step& step = plan.steps[s];
    const bool is_short = size_value(step.flops, values, "flops") <= kShort;
    const int32_t repetition = repetition_of(plan, s);
    const int32_t number = repetition < 0 ? step.product_of : int32_t(plan.buffers.size()) + repetition;
    numbers.push_back(is_short ? number : -1);
  }
  return numbers;
}

}  // namespace

int32_t state_buffer(const Repetition& repetition, int32_t buffer, int32_t state) {
  for (const CarriedBuffers& c : repetition.carried) {
    if (buffer == c.before && (state & kFirstTime)) return c.initial;
    if (buffer == c.before) return state & kOddRest ? c.before : c.after;
    if (buffer == c.after) return state & kOddRest ? c.after : c.before;
  }
  return buffer;
}

std::shared_ptr<const BoundPlan> bind_plan(const Executable& executable,
                                           std::span<const std::unique_ptr<LibraryOperator>> operators,
                                           std::span<const int64_t> symbols, const BindOptions& options) {
  const Plan& plan = executable.plan();
  auto bound = std::make_shared<BoundPlan>();
  bound->symbols.assign(symbols.begin(), symbols.end());
  bound->sizes = buffer_sizes(plan, symbols);
  for (const TensorInfo& info : plan.outputs) bound->output_dims.push_back(dims_of(info, symbols));
  check_boundary(plan, *bound);
  const auto waves = plan_waves(plan, options.streams, steps_together(plan, symbols), options.streams_in_arena);
  bound->separate = !options.memory_planning, bound->outputs_in_arena = options.outputs_in_arena;
  bound->memory = plan_memory(lifetimes_in_waves(plan, waves), bound->sizes,
                              {options.memory_planning && options.reuse, options.outputs_in_arena});
  StepBinder(executable, operators, options.min_chunk_size, *bound).run(waves);
  const int64_t scratch = checked_add(bound->scratch_bytes, kBufferAlignment - 1, "plan: scratch");
  bound->scratch_bytes = scratch / kBufferAlignment * kBufferAlignment;
  return bound;
}

}  // namespace cppgen::rt
