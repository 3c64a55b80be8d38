#include "runtime/session/session.h"

#include <algorithm>
#include <mutex>

#include "runtime/base/checked.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/settings.h"
#include "runtime/base/usable_cpus.h"
#include "runtime/base/usable_memory.h"
#include "runtime/host/model_runner.h"
#include "runtime/session/bound_plan.h"
#include "runtime/session/library_table.h"
#include "runtime/session/run_context.h"
#include "runtime/threads/executor.h"
#include "runtime/values/input_binding.h"
#include "runtime/values/value_binding.h"

namespace cppgen::rt {
namespace {

constexpr size_t kMaxBoundPlans = 64;  // a server with ever new lengths keeps the most recent ones

// Once per process, because a server creates many sessions.
void warn_of_too_many_threads(int64_t threads) {
  static std::once_flag once;
  const int cpus = usable_cpus();
  if (threads > cpus)
    std::call_once(once, [&] {
      log_warning("THREADS={} exceeds the {} that this process may use: its threads will wait for each other", threads,
                  counted(cpus, "CPU"));
    });
}

std::unique_ptr<Executor> executor_for(const SessionOptions& options) {
  warn_of_too_many_threads(options.threads);
  ExecutorOptions of_executor = executor_options(
      usable_topology(), options.threads, affinity_from_name(options.affinity), options.smt, options.spin_microseconds);
  of_executor.flush_denormals = options.flush_denormals;
  return make_executor(std::move(of_executor));
}

}  // namespace

SessionOptions SessionOptions::from(const Settings& settings) {
  SessionOptions options;
#define CPPGEN_SETTING(...)
#define CPPGEN_SESSION_SETTING(kind, field, ...) options.field = settings.field;
#include "runtime/base/settings.def"
  if (settings.multistream_mode) options.streams = 1 + settings.multistream_extra_streams;
  options.max_memory = settings.max_memory;
  options.custom_operators = settings.custom_ops;
  return options;
}

SessionOptions SessionOptions::from_environment() {
  const Settings settings = Settings::from_environment(process_environment(), {}, SettingReader::runtime);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return from(settings);
}

struct Session::Impl {
  Impl(std::shared_ptr<const Executable> given_executable, SessionOptions given, std::shared_ptr<Executor> executor)
      : executable(std::move(given_executable)),
        options(std::move(given)),
        executor(std::move(executor)),
        runner(
            executable->plan(), executable->module(),
            [this](int32_t plan, std::span<const TensorView> inputs) {
              return is_module() ? parts[size_t(plan)]->run(inputs) : run_plan(inputs);
            },
            options.before_step, options.custom_operators),
        totals(executable->plan().steps.size()) {
    for (const auto& part : executable->parts())
      parts.push_back(std::make_unique<Session>(part, options, this->executor));
    if (!is_module()) operators = make_operators(*executable);
  }

  bool is_module() const { return executable->module() != nullptr; }

  // Returns its context to the pool.
  class Lease {
   public:
    explicit Lease(Impl& impl) : impl_(impl), context_(impl.take_context()) {}
    ~Lease() { impl_.give_back(std::move(context_)); }
    RunContext* operator->() { return context_.get(); }

   private:
    Impl& impl_;
    std::unique_ptr<RunContext> context_;
  };

  std::unique_ptr<RunContext> take_context() {
    const std::lock_guard lock(mutex);
    if (free_contexts.empty()) {
      free_contexts.reserve(++contexts);  // so that returning it cannot fail
      return std::make_unique<RunContext>(*executable, executor->threads(), options.enable_kernel_profile);
    }
    auto context = std::move(free_contexts.back());
    free_contexts.pop_back();
    return context;
  }

  void give_back(std::unique_ptr<RunContext> context) {
    const std::lock_guard lock(mutex);
    free_contexts.push_back(std::move(context));
  }

  // The bound plan for these values of the symbols, made at first use; the most recent one is last.
  std::shared_ptr<const BoundPlan> bound_plan(std::span<const int64_t> symbols) {
    const std::lock_guard lock(bind_mutex);
    const auto found = std::find_if(bound_plans.rbegin(), bound_plans.rend(), [&](const auto& bound) {
      return std::equal(symbols.begin(), symbols.end(), bound->symbols.begin());
    });
    if (found != bound_plans.rend()) {
      std::rotate(found.base() - 1, found.base(), bound_plans.end());
      return bound_plans.back();
    }
    auto bound =
        bind_plan(*executable, operators, symbols, {options.min_chunk_size, options.memory_planning, options.streams});
    const int64_t scratch = checked_mul(bound->scratch_bytes, executor->threads(), "scratch");
    const int64_t bytes = checked_add(bound->memory.arena_bytes, scratch, "arena");
    require_memory_for(*bound, bytes);
    arena_bytes = std::max(arena_bytes, bytes);
    if (bound_plans.size() == kMaxBoundPlans) bound_plans.erase(bound_plans.begin());
    bound_plans.push_back(std::move(bound));
    return bound_plans.back();
  }

  // Before anything of it is allocated.
  void require_memory_for(const BoundPlan& bound, int64_t own) const {
    int64_t inputs = 0, outputs = 0;
    const Plan& plan = executable->plan();
    for (size_t i = 0; i < plan.buffers.size(); i++) {
      const PlanBufferKind kind = plan.buffers[i].kind;
      if (kind == PlanBufferKind::input) inputs = checked_add(inputs, bound.sizes[i], "inputs");
      if (kind == PlanBufferKind::output) outputs = checked_add(outputs, bound.sizes[i], "outputs");
    }
    const int64_t all = checked_add(own, checked_add(inputs, outputs, "tensors"), "memory of a run");
    require_memory(all, options.max_memory,
                   fmt::format("a run with these dimensions (inputs {}, outputs {}, intermediate values {} bytes)",
                               inputs, outputs, own));
  }

  void execute(Lease& context, std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
    context->set_tensors(inputs, outputs);
    executor->run(context->begin_run());
    if (!options.enable_kernel_profile) return;
    const std::lock_guard lock(mutex);
    context->add_times(totals);
  }

  // The inputs of the only plan of a model that is not a module.
  std::vector<Tensor> run_plan(std::span<const TensorView> inputs) {
    const Plan& plan = executable->plan();
    Lease context(*this);
    bind_inputs(plan, inputs, context->symbols());
    check_input_data(plan, inputs);
    const auto bound = bound_plan(context->symbols());
    std::vector<Tensor> results;
    std::vector<OutputView> views;
    for (size_t i = 0; i < plan.outputs.size(); i++) {
      results.emplace_back(plan.outputs[i].type, bound->output_dims[i]);
      views.push_back(results.back().output());
    }
    context->bind(bound);
    execute(context, inputs, views);
    return results;
  }

  const std::shared_ptr<const Executable> executable;
  const SessionOptions options;
  std::vector<std::unique_ptr<LibraryOperator>> operators;
  const std::shared_ptr<Executor> executor;
  std::vector<std::unique_ptr<Session>> parts;  // of a module: one for each plan
  const ModelRunner runner;

  mutable std::mutex mutex;  // of the next three
  std::vector<std::unique_ptr<RunContext>> free_contexts;
  size_t contexts = 0;
  std::vector<StepProfile> totals;

  mutable std::mutex bind_mutex;  // of the next two and of binding operators
  std::vector<std::shared_ptr<const BoundPlan>> bound_plans;
  int64_t arena_bytes = 0;
};

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options)
    : Session(std::move(executable), options, executor_for(options)) {}

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options,
                 std::shared_ptr<Executor> executor)
    : impl_(std::make_unique<Impl>(std::move(executable), std::move(options), std::move(executor))) {
  // Without symbols everything is known, so errors and costs of the first run occur now.
  if (!impl_->is_module() && plan().symbols.empty()) Impl::Lease(*impl_)->bind(impl_->bound_plan({}));
}

Session::~Session() = default;

const Executable& Session::executable() const { return *impl_->executable; }

void Session::run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
  if (impl_->is_module()) return copy_results(plan(), run(inputs), outputs);
  Impl::Lease context(*impl_);
  bind_inputs(plan(), inputs, context->symbols());
  check_input_data(plan(), inputs);
  const auto bound = impl_->bound_plan(context->symbols());
  check_outputs(plan(), outputs, bound->output_dims);
  context->bind(bound);
  impl_->execute(context, inputs, outputs);
}

std::vector<Tensor> Session::run(std::span<const TensorView> inputs) { return impl_->runner.run(inputs); }

std::vector<Value> Session::run_values(std::vector<Value> inputs) {
  return impl_->runner.run_values(std::move(inputs));
}

std::vector<std::vector<int64_t>> Session::output_dims(std::span<const TensorView> inputs) {
  if (impl_->is_module()) return declared_output_dims(plan(), inputs);
  Impl::Lease context(*impl_);
  bind_inputs(plan(), inputs, context->symbols());
  return impl_->bound_plan(context->symbols())->output_dims;
}

SessionStats Session::stats() const {
  if (impl_->is_module()) {
    SessionStats all{impl_->executor->threads(), plan().steps.size(), impl_->executable->weights_bytes(), 0};
    for (const auto& part : impl_->parts) all.arena_bytes += part->stats().arena_bytes;
    return all;
  }
  const std::lock_guard lock(impl_->bind_mutex);
  return {impl_->executor->threads(), plan().steps.size(), impl_->executable->weights_bytes(), impl_->arena_bytes};
}

std::vector<StepProfile> Session::profile() const {
  if (impl_->is_module()) {
    std::vector<StepProfile> all;
    for (const auto& part : impl_->parts) {
      const auto own = part->profile();
      all.insert(all.end(), own.begin(), own.end());
    }
    all.resize(plan().steps.size());  // the host's are not measured
    return all;
  }
  const std::lock_guard lock(impl_->mutex);
  return impl_->totals;
}

}  // namespace cppgen::rt
