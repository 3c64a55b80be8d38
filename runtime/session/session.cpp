#include "runtime/session/session.h"

#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/session/cancel_scope.h"
#include "runtime/session/instruments.h"
#include "runtime/session/runnable_model.h"
#include "runtime/session/session_executors.h"
#include "runtime/session/session_state.h"
#include "runtime/values/value_binding.h"

namespace cppgen::rt {

struct Session::Impl {
  explicit Impl(const SessionSetup& setup) : model(make_runnable_model(setup)) {
    SessionSetup of_version = setup;
    for (const Executable::Version& version : setup.executable->versions()) {
      of_version.executable = version.executable;
      versions.emplace_back(new Session(std::make_unique<Impl>(of_version)));
    }
    model->prepare();
  }

  Impl(std::shared_ptr<const Executable> executable, const SessionOptions& options, Executors executors)
      : Impl(SessionSetup{std::move(executable), options, std::move(executors),
                          std::make_shared<Instruments>(options)}) {}

  const Executable& executable() const { return *model->setup().executable; }
  const SessionOptions& options() const { return model->setup().options; }

  // Null: this session runs the sizes itself.
  Session* version(int64_t number) const { return number < 0 ? nullptr : versions[size_t(number)].get(); }

  // Does the same for inputs, which are checked if there are versions.
  Session* version_for(std::span<const TensorView> inputs) const {
    return versions.empty() ? nullptr : version(model->version_for(inputs));
  }

  // Returns that of the version or of this session.
  RunnableModel& model_for(std::span<const TensorView> inputs) const {
    const Session* used = version_for(inputs);
    return used ? *used->impl_->model : *model;
  }

  const std::unique_ptr<RunnableModel> model;
  std::vector<std::unique_ptr<Session>> versions;
};

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options)
    : Session(std::make_unique<Impl>(std::move(executable), options, executors_for(options))) {}

Session::Session(std::shared_ptr<const Executable> executable, SessionOptions options,
                 std::shared_ptr<Executor> executor)
    : Session(std::make_unique<Impl>(std::move(executable), options, Executors{std::move(executor)})) {}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Session::~Session() = default;

static void require_no_states(const Plan& plan) {
  if (plan.states.empty()) return;
  const KeptState& state = plan.states[0];
  user_error("the package keeps '{}' as '{}' from run to run: a run needs a state object of its session",
             plan.outputs[size_t(state.present)].name, plan.inputs[size_t(state.past)].name);
}

std::unique_ptr<SessionState> Session::make_state() const {
  if (plan().states.empty()) user_error("the package was compiled without states");
  return std::make_unique<SessionState>(impl_->model->setup().executable, impl_->options().max_memory);
}

const Executable& Session::executable() const { return impl_->executable(); }

const std::vector<std::unique_ptr<Session>>& Session::versions() const { return impl_->versions; }

const Session& Session::version_for(std::span<const TensorView> inputs) const {
  const Session* version = impl_->version_for(inputs);
  return version ? *version : *this;
}

const Session& Session::version_for(std::span<const Value> inputs) const {
  const std::vector<int64_t> symbols = check_values(plan(), inputs, impl_->model->checks());
  const Session* version = impl_->version(executable().version_for(symbols));
  return version ? *version : *this;
}

void Session::run(std::span<const TensorView> inputs, std::span<const OutputView> outputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  impl_->model_for(inputs).run(inputs, outputs);
}

void Session::run(SessionState& state, std::span<const TensorView> inputs, std::span<const OutputView> outputs,
                  const RunOptions& options) {
  const CancelScope scope(options);
  StateRun run(state, executable(), inputs, impl_->model->checks());
  run_with(run, outputs);
}

std::vector<Tensor> Session::run(SessionState& state, std::span<const TensorView> inputs, const RunOptions& options) {
  const CancelScope scope(options);
  StateRun run(state, executable(), inputs, impl_->model->checks());
  const std::vector<std::vector<int64_t>> dims = output_dims(run.inputs());
  std::vector<Tensor> results;
  for (size_t i = 0; i < dims.size(); i++)
    if (!state_of_output(plan(), int64_t(i)))
      results.emplace_back(plan().outputs[i].type, dims[i], impl_->options().allocator);
  std::vector<OutputView> outputs;
  for (Tensor& result : results) outputs.push_back(result.output());
  run_with(run, outputs);
  return results;
}

void Session::run_with(StateRun& run, std::span<const OutputView> outputs) {
  const std::vector<OutputView> all = run.with_states(outputs);
  impl_->model_for(run.inputs()).run(run.inputs(), all);
  run.keep();
}

std::vector<Tensor> Session::run(std::span<const TensorView> inputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  return impl_->model_for(inputs).run(inputs);
}

std::vector<Value> Session::run_values(std::vector<Value> inputs, const RunOptions& options) {
  require_no_states(plan());
  const CancelScope scope(options);
  const Session* used = impl_->versions.empty() ? this : &version_for(std::span<const Value>(inputs));
  return used->impl_->model->run_values(std::move(inputs));
}

std::vector<std::vector<int64_t>> Session::output_dims(std::span<const TensorView> inputs) {
  return impl_->model_for(inputs).output_dims(inputs);
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
  impl_->model->set_parameter(*found, value);
}

SessionStats Session::stats() const {
  int threads = 0;
  for (const auto& executor : impl_->model->setup().executors) threads = std::max(threads, executor->threads());
  SessionStats all{threads, plan().steps.size(), executable().weights_bytes(), 0, 0};
  for (const auto& version : impl_->versions) {
    const SessionStats own = version->stats();
    all.arena_bytes = std::max(all.arena_bytes, own.arena_bytes);
    all.arena_blocks = std::max(all.arena_blocks, own.arena_blocks);
  }
  impl_->model->add_to(all);
  return all;
}

const std::vector<std::string>& Session::labels() const { return impl_->model->labels(); }

std::vector<StepProfile> Session::profile() const { return impl_->model->profile(); }

}  // namespace cppgen::rt
