#include "runtime/session/run_context.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/base/steady_clock.h"
#include "runtime/session/instruments.h"

namespace cppgen::rt {
namespace {

int32_t states_of(const Plan& plan, size_t step) { return repetition_of(plan, step) < 0 ? 1 : kStates; }

// Calls f with each argument of each step in each state: the step, the argument's position among the step's, the
// buffer.
template <class F>
void each_argument(const Plan& plan, const F& f) {
  for (size_t s = 0; s < plan.steps.size(); s++) {
    const int32_t r = repetition_of(plan, s);
    const auto& buffers = plan.steps[s].buffers;
    for (int32_t state = 0; state < states_of(plan, s); state++)
      for (size_t b = 0; b < buffers.size(); b++)
        f(s, size_t(state) * buffers.size() + b,
          r < 0 ? buffers[b] : state_buffer(plan.repetitions[size_t(r)], buffers[b], state));
  }
}

}  // namespace

int this_thread() {
  static thread_local const int number = ::gettid();
  return number;
}

RunContext::RunContext(const Executable& executable, std::span<const void* const> replaced, int workers,
                       RunMemory memory, Instruments& instruments)
    : executable_(executable),
      replaced_(replaced),
      workers_(workers),
      memory_(std::move(memory)),
      instruments_(instruments) {
  if (instruments.records_chunks()) slices_.resize(size_t(workers));
  const Plan& plan = executable.plan();
  symbols_.resize(plan.symbols.size());
  size_t count = 0;
  for (size_t s = 0; s < plan.steps.size(); s++) {
    first_argument_.push_back(count);
    count += plan.steps[s].buffers.size() * size_t(states_of(plan, s));
  }
  arguments_.resize(count);
  find_caller_arguments();
}

void RunContext::find_caller_arguments() {
  const Plan& plan = executable_.plan();
  each_argument(plan, [&](size_t s, size_t position, int32_t buffer) {
    const PlanBuffer& root = plan.buffers[sharing_root(plan.buffers, size_t(buffer))];
    if (root.kind == PlanBufferKind::input || root.kind == PlanBufferKind::output)
      caller_arguments_.push_back({first_argument_[s] + position, root.kind == PlanBufferKind::output, root.slot});
  });
}

void RunContext::reserve_memory(const BoundPlan& bound) {
  if (bound.separate) {
    reserve_separately(bound);
  } else if (!arena_ || arena_->bytes() < bound.memory.arena_bytes) {
    arena_ = nullptr;  // first release, then allocate
    arena_ = std::make_shared<Arena>(bound.memory.arena_bytes, memory_.huge_pages, memory_.allocator);
  }
  const int64_t scratch = checked_mul(bound.scratch_bytes, workers_, "scratch");
  if (scratch_.bytes() < scratch) scratch_ = Arena(scratch, memory_.huge_pages, memory_.allocator);
}

void RunContext::reserve_separately(const BoundPlan& bound) {
  const auto& buffers = executable_.plan().buffers;
  separate_.clear();
  separate_.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); i++) {
    if (bound.memory.offsets[i] < 0 || sharing_root(buffers, i) != i) continue;
    separate_[i] = Tensor(DType::u8, {bound.sizes[i]}, memory_.allocator);
    std::memset(separate_[i].data(), 0, size_t(bound.sizes[i]));  // as an arena begins
  }
}

void* RunContext::address(int32_t buffer) const {
  const PlanBuffer& info = executable_.plan().buffers[size_t(buffer)];
  if (info.kind == PlanBufferKind::constant) {
    const void* replaced = replaced_.empty() ? nullptr : replaced_[size_t(buffer)];
    return const_cast<void*>(replaced ? replaced : executable_.weights() + info.offset);
  }
  const int64_t offset = bound_->memory.offsets[size_t(buffer)];
  if (offset < 0) return nullptr;
  if (!bound_->separate) return arena_->data() + offset;
  return const_cast<void*>(separate_[sharing_root(executable_.plan().buffers, size_t(buffer))].data());
}

void* RunContext::output(int32_t slot) const {
  const auto& buffers = executable_.plan().buffers;
  for (size_t i = 0; i < buffers.size(); i++)
    if (buffers[i].kind == PlanBufferKind::output && buffers[i].slot == slot) return address(int32_t(i));
  return nullptr;
}

std::shared_ptr<const void> RunContext::take_arena() {
  bound_ = nullptr;
  return std::exchange(arena_, nullptr);
}

void RunContext::bind(std::shared_ptr<const BoundPlan> bound) {
  if (bound_ == bound) return;
  bound_ = nullptr;  // if memory runs out, the next run starts here again
  reserve_memory(*bound);
  bound_ = std::move(bound);
  bind_arguments();
  for (const Wave& wave : bound_->waves) {
    const size_t first = step_views_.size();
    for (size_t s : wave) bind_step(s);
    add_wave(std::span(step_views_).subspan(first));
  }
}

void RunContext::add_wave(std::span<const StepView> steps) {
  const bool inspected = !instruments_.inspectors.empty() && !steps.empty();
  if (inspected) {
    inspections_.push_back({this, steps});
    views_.push_back({1, inspect<&StepInspector::before>, &inspections_.back()});
  }
  if (steps.size() < 2) {
    views_.insert(views_.end(), steps.begin(), steps.end());
  } else {
    int64_t chunks = 0;
    for (const StepView& step : steps) chunks += step.chunks;
    waves_.push_back({steps});
    views_.push_back({chunks, run_wave, &waves_.back(), steps[0].backwards});
  }
  if (inspected) views_.push_back({1, inspect<&StepInspector::after>, &inspections_.back()});
}

void RunContext::bind_arguments() {
  each_argument(executable_.plan(), [&](size_t s, size_t position, int32_t buffer) {
    arguments_[first_argument_[s] + position] = address(buffer);
  });
  const size_t count = bound_->steps.size();
  if (steps_size_ < count) {
    steps_.reset(new StepContext[count]);
    steps_size_ = count;
  }
  if (instruments_.measure()) times_.assign(size_t(workers_), std::vector<WorkerTimes>(count));
  step_views_.clear(), waves_.clear(), views_.clear();
  step_views_.reserve(count);  // spans of it stay valid
  waves_.reserve(count), views_.reserve(count);
  if (instruments_.inspectors.empty()) return;
  inspections_.clear();
  inspections_.reserve(count);
  find_last_writers();
}

void RunContext::find_last_writers() {
  const Plan& plan = executable_.plan();
  last_writers_.assign(plan.buffers.size(), 0);
  for (const Wave& wave : bound_->waves)
    for (size_t position : wave) {
      const BoundStep& bound = bound_->steps[position];
      const Step& step = plan.steps[bound.step];
      if (bound.chunks == 0) continue;
      for (size_t b = step.buffers.size() - size_t(step.output_count); b < step.buffers.size(); b++)
        last_writers_[size_t(step.buffers[b])] = position;
    }
}

void RunContext::bind_step(size_t position) {
  const BoundStep& values = bound_->steps[position];
  const Step& step = executable_.plan().steps[values.step];
  const size_t first = first_argument_[values.step] + size_t(values.state) * step.buffers.size();
  StepContext& context = steps_[position];
  context.run = this;
  context.bound = &values;
  context.kernel = executable_.kernel(values.step);
  context.task = values.task.get();
  context.buffers = std::span<void* const>(arguments_).subspan(first, step.buffers.size());
  context.params = bound_->params.data() + values.params;
  context.range = values.range;
  context.chunks = values.chunks;
  const auto run = instruments_.measure() ? run_measured : context.task ? run_library : run_kernel;
  // The weights that every iteration of a repetition reads may be larger than the cache: every other iteration begins
  // with those that the one before read last.
  const bool backwards = (values.state & kOddRest) != 0;
  if (values.chunks > 0) step_views_.push_back({values.chunks, run, &context, backwards});
}

void RunContext::set_tensors(std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
  for (const CallerArgument& it : caller_arguments_)
    arguments_[it.argument] =
        it.output ? outputs[size_t(it.slot)].data : const_cast<void*>(inputs[size_t(it.slot)].data);
}

std::span<const StepView> RunContext::begin_run() {
  error_ = 0;
  measured_run_++;
  for (auto& slices : slices_) slices.clear();
  if (!instruments_.inspectors.empty()) run_ = instruments_.runs++;
  return views_;
}

void RunContext::run_wave(void* p, int64_t chunk, int worker) {
  for (const StepView& step : static_cast<WaveContext*>(p)->steps) {
    if (chunk < step.chunks) return step.run(step.ctx, chunk, worker);
    chunk -= step.chunks;
  }
}

void RunContext::run_kernel(void* p, int64_t chunk, int worker) {
  const auto& step = *static_cast<StepContext*>(p);
  RunContext& run = *step.run;
  const cppgen_kernel_args args{step.buffers.data(), step.params, run.executable_.runtime(), &run.error_,
                                run.scratch_.data() + worker * run.bound_->scratch_bytes};
  const ChunkRange range = chunk_range(step.range, step.chunks, chunk);
  step.kernel(&args, range.begin, range.end);
  // Later steps must not use the results of a failed kernel.
  if (const int error = __atomic_load_n(&run.error_, __ATOMIC_RELAXED)) run.fail_check(error);
}

void RunContext::run_library(void* p, int64_t chunk, int worker) {
  const auto& step = *static_cast<StepContext*>(p);
  try {
    step.task->run(step.buffers, chunk, step.run->scratch_.data() + worker * step.run->bound_->scratch_bytes);
  } catch (const UserError& error) {
    const auto& origins = step.run->executable_.plan().steps[step.bound->step].origins;
    user_error("node '{}': {}", fmt::join(origins, "', '"), error.what());
  }
}

void RunContext::run_measured(void* p, int64_t chunk, int worker) {
  const auto& step = *static_cast<StepContext*>(p);
  RunContext& run = *step.run;
  WorkerTimes& times = run.times_[size_t(worker)][run.position_of(step)];
  const bool first = times.run != run.measured_run_, recorded = !run.slices_.empty();
  const int64_t begin = first || recorded ? steady_ns() : 0;  // reading the clock is what measuring costs
  if (first) times = {run.measured_run_, begin, begin};
  step.task ? run_library(p, chunk, worker) : run_kernel(p, chunk, worker);
  times.end_ns = steady_ns();
  if (recorded) run.slices_[size_t(worker)].push_back({step.bound->step, chunk, begin, times.end_ns, this_thread()});
}

template <auto method>
void RunContext::inspect(void* p, int64_t, int) {
  const auto& [run, steps] = *static_cast<const Inspection*>(p);
  for (const StepView& view : steps) {
    const auto& step = *static_cast<const StepContext*>(view.ctx);
    const StepInRun seen{run->executable_.plan(), *run->bound_, run->run_,
                         run->position_of(step),  step.buffers, run->last_writers_};
    for (const auto& inspector : run->instruments_.inspectors) (inspector.get()->*method)(seen);
  }
}

void RunContext::fail_check(int error) const {
  const Plan& plan = executable_.plan();
  if (error < 1 || size_t(error) > plan.checks.size()) internal_error("a kernel reported an unknown check {}", error);
  const std::string& message = plan.checks[size_t(error) - 1];
  if (message.starts_with(kAssertionFailed)) throw InternalError(message);
  throw UserError(message);
}

// The time from the first chunk's begin to the last one's end.
int64_t RunContext::time_of(const StepContext& step) const {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
  for (const auto& of_worker : times_) {
    const WorkerTimes& times = of_worker[position_of(step)];
    if (times.run == measured_run_) begin = std::min(begin, times.begin_ns), end = std::max(end, times.end_ns);
  }
  return std::max<int64_t>(0, end - begin);
}

void RunContext::add_times(std::span<StepProfile> profile) const {
  for (const StepView& view : step_views_) {
    const auto& step = *static_cast<const StepContext*>(view.ctx);
    StepProfile& sum = profile[step.bound->step];
    sum.calls++;
    sum.ns += double(time_of(step));
    sum.flops += double(step.bound->flops);
    sum.bytes += double(step.bound->bytes);
    each_cost([](const char*, double& all, int64_t one) { all += double(one); }, sum.costs, step.bound->costs);
    sum.chunks += double(step.bound->chunks);
  }
}

}  // namespace cppgen::rt
