#include "runtime/session/runnable_module.h"

#include "runtime/base/errors.h"
#include "runtime/session/instruments.h"
#include "runtime/session/step_label.h"
#include "runtime/values/value_binding.h"

namespace cppgen::rt {
namespace {

// The listener of a plan whose steps follow so many others in the module's.
ChunkListener of_part(const ChunkListener& listener, size_t first_step) {
  return [listener, first_step](std::span<const std::vector<TraceSlice>> slices) {
    std::vector<std::vector<TraceSlice>> shifted(slices.begin(), slices.end());
    for (auto& of_worker : shifted)
      for (TraceSlice& slice : of_worker) slice.step += first_step;
    listener(shifted);
  };
}

}  // namespace

RunnableModule::RunnableModule(const SessionSetup& given)
    : RunnableModel(
          given, [this](int32_t plan, std::span<const TensorView> inputs) { return parts_[size_t(plan)]->run(inputs); },
          given.instruments->measure() ? [this](const HostStepTime& time) { add_host_step(time); }
                                       : HostStepListener()) {
  add_parts();
  host_totals_.resize(plan().steps.size() - first_host_step_);
  for (const auto& part : parts_) labels_.insert(labels_.end(), part->labels().begin(), part->labels().end());
  const auto own = step_labels(plan(), options().ops_stamp, options().ops_prefix);
  labels_.insert(labels_.end(), own.begin() + ptrdiff_t(labels_.size()), own.end());
}

// Between the plans of a module, the runtime is the caller, so their inputs are always checked.
void RunnableModule::add_parts() {
  SessionSetup part = setup();
  part.options.size_asserts = part.options.scalar_asserts = part.options.alignment_asserts = true;
  for (const auto& executable : setup().executable->parts()) {
    if (options().on_chunks) part.options.on_chunks = of_part(options().on_chunks, first_host_step_);
    first_host_step_ += executable->plan().steps.size();
    part.executable = executable;
    parts_.push_back(make_runnable_model(part));
    parts_.back()->prepare();
  }
}

void RunnableModule::add_host_step(const HostStepTime& time) {
  const std::vector<TraceSlice> slices{
      {first_host_step_ + time.step, 0, time.begin_ns, time.end_ns, this_thread(), time.inside_ns}};
  show({&slices, 1});
  if (!instruments().profile) return;
  const std::lock_guard lock(mutex_);
  StepProfile& total = host_totals_[time.step];
  total.calls++, total.chunks++;
  total.ns += double(time.end_ns - time.begin_ns - time.inside_ns);
}

int64_t RunnableModule::version_for(std::span<const TensorView> inputs) {
  return setup().executable->version_for(symbols_of(plan(), inputs, checks()));
}

void RunnableModule::run(std::span<const TensorView> inputs, std::span<const OutputView> outputs) {
  copy_results(plan(), run(inputs), outputs);
}

std::vector<std::vector<int64_t>> RunnableModule::output_dims(std::span<const TensorView> inputs) {
  return declared_output_dims(plan(), inputs);
}

void RunnableModule::set_parameter(const Parameter&, const TensorView&) {
  internal_error("a module has no parameters");  // outline_of
}

void RunnableModule::add_to(SessionStats& stats) const {
  for (const auto& part : parts_) {
    SessionStats own;
    part->add_to(own);
    stats.arena_bytes += own.arena_bytes, stats.arena_blocks += own.arena_blocks;
  }
}

std::vector<StepProfile> RunnableModule::profile() const {
  std::vector<StepProfile> all;
  for (const auto& part : parts_) {
    const auto own = part->profile();
    all.insert(all.end(), own.begin(), own.end());
  }
  const std::lock_guard lock(mutex_);
  all.insert(all.end(), host_totals_.begin(), host_totals_.end());
  return all;
}

}  // namespace cppgen::rt
