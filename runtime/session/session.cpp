#include "runtime/session/session.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/usable_memory.h"
#include "runtime/host/model_runner.h"
#include "runtime/session/bound_plan.h"
#include "runtime/session/context_pool.h"
#include "runtime/session/instruments.h"
#include "runtime/session/library_table.h"
#include "runtime/session/results.h"
#include "runtime/session/session_state.h"
#include "runtime/session/step_label.h"
#include "runtime/threads/executor.h"
#include "runtime/values/input_binding.h"
#include "runtime/values/value_binding.h"

namespace cppgen::rt {
namespace {

// The flag that cancels the run in progress on this thread. What a run calls on its thread, such as the plans and steps
// of a module, finds it here.
thread_local const std::atomic<bool>* cancel_of_run = nullptr;

void end_if_cancelled() {
  if (cancel_of_run && cancel_of_run->load()) throw RunCancelled();
}

class CancelScope {
 public:
  explicit CancelScope(const RunOptions& options) : outer_(cancel_of_run) {
    cancel_of_run = options.cancel;
    end_if_cancelled();
  }
  ~CancelScope() { cancel_of_run = outer_; }
  CancelScope(const CancelScope&) = delete;

 private:
  const std::atomic<bool>* const outer_;
};

std::function<void()> cancelling(std::function<void()> before_step) {
  return [before_step = std::move(before_step)] {
    end_if_cancelled();
    if (before_step) before_step();
  };
}

constexpr size_t kMaxBoundPlans = 64;  // a server with ever new lengths keeps the most recent ones

// Once per process, because a server creates many sessions.
void warn_of_too_many_threads(const SessionOptions& options, const Topology& usable) {
  static std::once_flag once;
  const int cpus = default_threads(usable, /*smt=*/true);
  if (options.threads * options.num_streams > cpus)
    std::call_once(once, [&] {
      log_warning("THREADS={}{} exceeds the {} that this process may use: its threads will wait for each other",
                  options.threads,
                  options.num_streams > 1 ? fmt::format(" for each of {} streams", options.num_streams) : "",
                  counted(cpus, "CPU"));
    });
}

Executors executors_for(const SessionOptions& options) {
  const Topology all = usable_topology();
  warn_of_too_many_threads(options, all);
  const Topology usable = cores_of_type(all, core_type_from_name(options.core_type));
  Executors executors;
  for (ExecutorOptions& stream :
       stream_options(usable, options.num_streams, options.threads, affinity_from_name(options.affinity), options.smt,
                      options.spin_microseconds)) {
    stream.flush_denormals = options.flush_denormals;
    executors.push_back(make_executor(std::move(stream)));
  }
  return executors;
}

BindOptions bind_options(const SessionOptions& options, const Plan& plan, bool outputs_in_arena) {
  return {.min_chunk_size = options.min_chunk_size,
          .memory_planning = plans_memory(options),
          .streams = options.multistream_mode ? concurrent_steps(options) : plan.streams,
          .streams_in_arena = options.multistream_max_mem_parallel_ops,
          .reuse = reuses_memory(options),
          .outputs_in_arena = outputs_in_arena};
}

// For a plan whose steps follow so many others in the module's.
ChunkListener of_part(const ChunkListener& listener, size_t first_step) {
  return [listener, first_step](std::span<const std::vector<TraceSlice>> slices) {
    std::vector<std::vector<TraceSlice>> shifted(slices.begin(), slices.end());
    for (auto& of_worker : shifted)
      for (TraceSlice& slice : of_worker) slice.step += first_step;
    listener(shifted);
  };
}

}  // namespace

struct Session::Impl {
  Impl(std::shared_ptr<const Executable> given_executable, SessionOptions given, Executors executors,
       std::shared_ptr<Instruments> given_instruments)
      : executable(std::move(given_executable)),
        options(std::move(given)),
        instruments(given_instruments ? std::move(given_instruments) : std::make_shared<Instruments>(options)),
        contexts(*executable, std::move(executors), {options.huge_pages, options.allocator}, *instruments),
        checks{options.size_asserts, options.scalar_asserts, options.alignment_asserts},
        runner(
            executable->plan(), executable->module(),
            [this](int32_t plan, std::span<const TensorView> inputs) {
              return is_module() ? parts[size_t(plan)]->impl_->runner.run(inputs) : run_plan(inputs);
            },
            cancelling(options.before_step), options.custom_ops, checks, host_listener()),
        totals(executable->plan().steps.size()) {
    add_parts();
    for (const Executable::Version& version : executable->versions())
      versions.emplace_back(
          new Session(std::make_unique<Impl>(version.executable, options, contexts.executors(), instruments)));
    add_labels();
    if (!is_module()) operators = make_operators(*executable);
  }

  // Between the plans of a module, the runtime is the caller, so their inputs are always checked.
  void add_parts() {
    SessionOptions part_options = options;
    part_options.size_asserts = part_options.scalar_asserts = part_options.alignment_asserts = true;
    size_t first_step = 0;
    for (const auto& part : executable->parts()) {
      if (options.on_chunks) part_options.on_chunks = of_part(options.on_chunks, first_step);
      first_step += part->plan().steps.size();
      parts.emplace_back(new Session(std::make_unique<Impl>(part, part_options, contexts.executors(), instruments)));
    }
    first_host_step = first_step;
  }

  HostStepListener host_listener() {
    if (!is_module() || !instruments->measure()) return {};
    return [this](const HostStepTime& time) { add_host_step(time); };
  }

  void add_host_step(const HostStepTime& time) {
    const size_t step = first_host_step + time.step;
    const std::vector<TraceSlice> slices{{step, 0, time.begin_ns, time.end_ns, this_thread(), time.inside_ns}};
    if (instruments->trace) instruments->trace->add(executable->plan(), labels, {&slices, 1});
    if (options.on_chunks) options.on_chunks({&slices, 1});
    if (!instruments->profile) return;
    const std::lock_guard lock(mutex);
    totals[step].calls++, totals[step].chunks++;
    totals[step].ns += double(time.end_ns - time.begin_ns - time.inside_ns);
  }

  // The steps of the plans precede those of the host.
  void add_labels() {
    for (const auto& part : parts) labels.insert(labels.end(), part->labels().begin(), part->labels().end());
    const auto own = step_labels(executable->plan(), options.ops_stamp, options.ops_prefix);
    labels.insert(labels.end(), own.begin() + ptrdiff_t(labels.size()), own.end());
  }

  // Null: this session runs the sizes itself.
  Session* version_for(std::span<const int64_t> symbols) const {
    const int64_t version = executable->version_for(symbols);
    return version < 0 ? nullptr : versions[size_t(version)].get();
  }

  // The same for inputs, which are checked if there are versions.
  Session* version_for(std::span<const TensorView> inputs) {
    if (versions.empty()) return nullptr;
    if (is_module()) return version_for(symbols_of(executable->plan(), inputs, checks));
    ContextPool::Lease context(contexts);
    bind_inputs(executable->plan(), inputs, context->symbols(), checks);
    return version_for(context->symbols());
  }

  bool is_module() const { return executable->module() != nullptr; }

  // The bound plan for these values of the symbols, made at first use; the most recent one is last.
  std::shared_ptr<const BoundPlan> bound_plan(std::span<const int64_t> symbols, bool with_outputs = false) {
    const std::lock_guard lock(bind_mutex);
    const auto found = std::find_if(bound_plans.rbegin(), bound_plans.rend(), [&](const auto& bound) {
      return bound->outputs_in_arena == with_outputs &&
             std::equal(symbols.begin(), symbols.end(), bound->symbols.begin());
    });
    if (found != bound_plans.rend()) {
      std::rotate(found.base() - 1, found.base(), bound_plans.end());
      return bound_plans.back();
    }
    auto bound = bind_plan(*executable, operators, symbols, bind_options(options, executable->plan(), with_outputs));
    const int64_t scratch = checked_mul(bound->scratch_bytes, contexts.threads(), "scratch");
    const int64_t bytes = checked_add(bound->memory.arena_bytes, scratch, "arena");
    require_memory_for(*bound, bytes);
    arena_bytes = std::max(arena_bytes, bytes);
    blocks = std::max(blocks, bound->separate ? bound->memory.blocks : size_t(bound->memory.arena_bytes > 0));
    if (bound_plans.size() == kMaxBoundPlans) bound_plans.erase(bound_plans.begin());
    bound_plans.push_back(std::move(bound));
    return bound_plans.back();
  }

  // Before anything of it is allocated.
  void require_memory_for(const BoundPlan& bound, int64_t own) const {
    int64_t inputs = 0, outputs = 0;
    const Plan& plan = executable->plan();
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
    require_memory(all, options.max_memory,
                   fmt::format("a run with these dimensions (inputs {}, outputs {}, intermediate values {} bytes)",
                               inputs, outputs, own));
  }

  void execute(ContextPool::Lease& context, std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
    context->set_tensors(inputs, outputs);
    if (!context.executor().run(context->begin_run(), cancel_of_run)) throw RunCancelled();
    if (instruments->trace) instruments->trace->add(executable->plan(), labels, context->slices());
    if (options.on_chunks) options.on_chunks(context->slices());
    if (!instruments->profile) return;
    const std::lock_guard lock(mutex);
    context->add_times(totals);
  }

  // The inputs of the only plan of a model that is not a module.
  std::vector<Tensor> run_plan(std::span<const TensorView> inputs) {
    const Plan& plan = executable->plan();
    ContextPool::Lease context(contexts);
    bind_inputs(plan, inputs, context->symbols(), checks);
    check_input_data(plan, inputs, checks);
    const bool in_arena = outputs_in_arena(options);
    const auto bound = bound_plan(context->symbols(), in_arena);
    std::vector<Tensor> results;
    if (!in_arena) results = new_results(plan, *bound, options.memory_pool == "outputs", options.allocator);
    context->bind(bound);
    std::vector<OutputView> views;
    for (size_t i = 0; i < plan.outputs.size(); i++)
      views.push_back(
          {plan.outputs[i].type, bound->output_dims[i], in_arena ? context->output(int32_t(i)) : results[i].data()});
    execute(context, inputs, views);
    return in_arena ? results_in_arena(plan, *bound, *context.operator->()) : std::move(results);
  }

  const std::shared_ptr<const Executable> executable;
  const SessionOptions options;
  const std::shared_ptr<Instruments> instruments;
  ContextPool contexts;
  std::vector<std::string> labels;       // of the steps
  std::map<int32_t, Tensor> parameters;  // replaced, by buffer
  const BoundaryChecks checks;
  std::vector<std::unique_ptr<LibraryOperator>> operators;
  std::vector<std::unique_ptr<Session>> parts;  // of a module: one for each plan
  std::vector<std::unique_ptr<Session>> versions;
  size_t first_host_step = 0;
  const ModelRunner runner;

  mutable std::mutex mutex;  // of the next one
  std::vector<StepProfile> totals;

  mutable std::mutex bind_mutex;  // of the next three and of binding operators
  std::vector<std::shared_ptr<const BoundPlan>> bound_plans;
  int64_t arena_bytes = 0;
  size_t blocks = 0;
};

std::shared_ptr<Executor> make_session_executor(const SessionOptions& options) { return executors_for(options)[0]; }

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options)
    : Session(std::make_unique<Impl>(std::move(executable), options, executors_for(options), nullptr)) {}

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options,
                 std::shared_ptr<Executor> executor)
    : Session(
          std::make_unique<Impl>(std::move(executable), std::move(options), Executors{std::move(executor)}, nullptr)) {}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {
  // Without symbols everything is known, so errors and costs of the first run occur now. A version may never run.
  if (!impl_->is_module() && plan().symbols.empty() && executable().version().empty())
    ContextPool::Lease(impl_->contexts)->bind(impl_->bound_plan({}, outputs_in_arena(impl_->options)));
}

Session::~Session() = default;

static void require_no_states(const Plan& plan) {
  if (plan.states.empty()) return;
  const KeptState& state = plan.states[0];
  user_error("the package keeps '{}' as '{}' from run to run: a run needs a state object of its session",
             plan.outputs[size_t(state.present)].name, plan.inputs[size_t(state.past)].name);
}

std::unique_ptr<SessionState> Session::make_state() const {
  if (plan().states.empty()) user_error("the package was compiled without states");
  return std::make_unique<SessionState>(impl_->executable, impl_->options.max_memory);
}

const Executable& Session::executable() const { return *impl_->executable; }

const std::vector<std::unique_ptr<Session>>& Session::versions() const { return impl_->versions; }

const Session& Session::version_for(std::span<const TensorView> inputs) const {
  const Session* version = impl_->version_for(inputs);
  return version ? *version : *this;
}

const Session& Session::version_for(std::span<const Value> inputs) const {
  const Session* version = impl_->version_for(std::span<const int64_t>(check_values(plan(), inputs, impl_->checks)));
  return version ? *version : *this;
}

void Session::run(std::span<const TensorView> inputs, std::span<const OutputView> outputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  Session* version = impl_->version_for(inputs);
  (version ? version : this)->run_here(inputs, outputs);
}

void Session::run(SessionState& state, std::span<const TensorView> inputs, std::span<const OutputView> outputs,
                  const RunOptions& options) {
  const CancelScope scope(options);
  StateRun run(state, executable(), inputs, impl_->checks);
  run_with(run, outputs);
}

std::vector<Tensor> Session::run(SessionState& state, std::span<const TensorView> inputs, const RunOptions& options) {
  const CancelScope scope(options);
  StateRun run(state, executable(), inputs, impl_->checks);
  const std::vector<std::vector<int64_t>> dims = output_dims(run.inputs());
  std::vector<Tensor> results;
  for (size_t i = 0; i < dims.size(); i++)
    if (!state_of_output(plan(), int64_t(i)))
      results.emplace_back(plan().outputs[i].type, dims[i], impl_->options.allocator);
  std::vector<OutputView> outputs;
  for (Tensor& result : results) outputs.push_back(result.output());
  run_with(run, outputs);
  return results;
}

void Session::run_with(StateRun& run, std::span<const OutputView> outputs) {
  const std::vector<OutputView> all = run.with_states(outputs);
  Session* version = impl_->version_for(run.inputs());
  (version ? version : this)->run_here(run.inputs(), all);
  run.keep();
}

void Session::run_here(std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
  if (impl_->is_module()) return copy_results(plan(), impl_->runner.run(inputs), outputs);
  ContextPool::Lease context(impl_->contexts);
  bind_inputs(plan(), inputs, context->symbols(), impl_->checks);
  check_input_data(plan(), inputs, impl_->checks);
  const auto bound = impl_->bound_plan(context->symbols());
  check_outputs(plan(), outputs, bound->output_dims, impl_->checks);
  context->bind(bound);
  impl_->execute(context, inputs, outputs);
}

std::vector<Tensor> Session::run(std::span<const TensorView> inputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  Session* version = impl_->version_for(inputs);
  return (version ? version : this)->impl_->runner.run(inputs);
}

std::vector<Value> Session::run_values(std::vector<Value> inputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  const Session* used = impl_->versions.empty() ? this : &version_for(std::span<const Value>(inputs));
  return used->impl_->runner.run_values(std::move(inputs));
}

std::vector<std::vector<int64_t>> Session::output_dims(std::span<const TensorView> inputs) {
  if (Session* version = impl_->version_for(inputs)) return version->output_dims(inputs);
  if (impl_->is_module()) return declared_output_dims(plan(), inputs);
  ContextPool::Lease context(impl_->contexts);
  bind_inputs(plan(), inputs, context->symbols(), impl_->checks);
  return impl_->bound_plan(context->symbols())->output_dims;
}

static const Parameter* find_parameter(const Plan& plan, std::string_view name) {
  for (const Parameter& parameter : plan.parameters)
    if (parameter.info.name == name) return &parameter;
  return nullptr;
}

void Session::set_parameter(std::string_view name, const TensorView& value) {
  const Parameter* found = find_parameter(plan(), name);
  if (!found)
    user_error("the package has no parameter '{}': compile with FREEZING=0 to be able to replace weights", name);
  std::vector<int64_t> dims;
  for (const DimExpr& dim : found->info.dims) dims.push_back(evaluate(dim, {}));
  if (value.type != found->info.type || !std::equal(dims.begin(), dims.end(), value.dims.begin(), value.dims.end()))
    user_error("parameter '{}' is {}{}; the given tensor is {}{}", name, name_of(found->info.type), shape_text(dims),
               name_of(value.type), shape_text(value.dims));
  for (const auto& version : impl_->versions)
    if (find_parameter(version->plan(), name)) version->set_parameter(name, value);
  Tensor copy = value.data ? copy_of(value) : Tensor();
  impl_->contexts.replace(found->buffer, value.data ? copy.data() : nullptr);
  impl_->parameters[found->buffer] = std::move(copy);
}

SessionStats Session::stats() const {
  SessionStats all{impl_->contexts.threads(), plan().steps.size(), impl_->executable->weights_bytes(), 0, 0};
  for (const auto& version : impl_->versions) {
    const SessionStats own = version->stats();
    all.arena_bytes = std::max(all.arena_bytes, own.arena_bytes);
    all.arena_blocks = std::max(all.arena_blocks, own.arena_blocks);
  }
  for (const auto& part : impl_->parts) {
    const SessionStats own = part->stats();
    all.arena_bytes += own.arena_bytes, all.arena_blocks += own.arena_blocks;
  }
  if (impl_->is_module()) return all;
  const std::lock_guard lock(impl_->bind_mutex);
  all.arena_bytes = std::max(all.arena_bytes, impl_->arena_bytes);
  all.arena_blocks = std::max(all.arena_blocks, impl_->blocks);
  return all;
}

const std::vector<std::string>& Session::labels() const { return impl_->labels; }

std::vector<StepProfile> Session::profile() const {
  if (impl_->is_module()) {
    std::vector<StepProfile> all;
    for (const auto& part : impl_->parts) {
      const auto own = part->profile();
      all.insert(all.end(), own.begin(), own.end());
    }
    const std::lock_guard lock(impl_->mutex);
    all.insert(all.end(), impl_->totals.begin() + ptrdiff_t(all.size()), impl_->totals.end());
    return all;
  }
  const std::lock_guard lock(impl_->mutex);
  return impl_->totals;
}

}  // namespace cppgen::rt
