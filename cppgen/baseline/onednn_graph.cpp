#include <algorithm>
#include <chrono>
#include <cstring>

#include "cppgen/baseline/build.h"
#include "cppgen/baseline/builder.h"
#include "cppgen/baseline/onednn_plugin.h"
#include "cppgen/baseline/openmp_executor.h"
#include "runtime/base/errors.h"
#include "runtime/plugins/plugin.h"

namespace cppgen::baseline {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double milliseconds_now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A step with the memory that it works on. Pointers into the caller's tensors are set before each run.
struct BoundStep {
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;
  std::vector<rt::TensorView> inputs;
  std::vector<rt::OutputView> outputs;
  const void* from = nullptr;
  void* to = nullptr;
  size_t bytes = 0;
  std::vector<double> times;
};

class BoundGraph final : public contenders::OnednnGraph {
 public:
  BoundGraph(Graph given, int threads, const contenders::CompileGroup& compile)
      : graph_(std::move(given)), threads_(threads), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    const OpenMpThreads scope(threads_);
    program_ = build_program(graph_, threads_, engine_, compile);
    arena_ = place_buffers(program_);
    scratch_ = aligned_memory(program_.scratch_bytes);
    bound_.resize(program_.steps.size());
    for (size_t i = 0; i < bound_.size(); i++) bind(program_.steps[i], bound_[i]);
  }

  void run(std::span<const rt::TensorView> inputs, std::span<const rt::OutputView> outputs) override {
    const OpenMpThreads scope(threads_);
    point_to(inputs, outputs);
    double primitives = 0, kernels = 0;
    for (size_t i = 0; i < bound_.size(); i++) {
      const double begin = milliseconds_now();
      execute(program_.steps[i], bound_[i]);
      const double time = milliseconds_now() - begin;
      bound_[i].times.push_back(time);
      (program_.steps[i].report.ours ? kernels : primitives) += time;
    }
    stream_.wait();
    primitives_ms_.push_back(primitives), kernels_ms_.push_back(kernels);
  }

  std::vector<rt::Tensor> new_outputs() const override {
    std::vector<rt::Tensor> outputs;
    for (ValueId v : graph_.outputs) {
      const Value& value = graph_.value(v);
      outputs.emplace_back(value.type->dtype, dims_of(value));
    }
    return outputs;
  }

  contenders::Report report() const override {
    contenders::Report report;
    for (size_t i = 0; i < bound_.size(); i++) {
      const Step& step = program_.steps[i];
      report.steps.push_back(step.report);
      report.steps.back().median_ms = median(bound_[i].times);
      report.primitives += step.kind == StepKind::primitive;
      report.reorders += step.kind == StepKind::reorder;
    }
    report.primitives_ms = median(primitives_ms_);
    report.kernels_ms = median(kernels_ms_);
    return report;
  }

 private:
  const Buffer& storage(const Operand& operand) const {
    return program_.buffers[size_t(program_.storage_of(operand.buffer))];
  }

  // Null for memory of the caller.
  char* address(const Operand& operand) const {
    if (operand.buffer < 0) return static_cast<char*>(scratch_.get());
    const Buffer& buffer = storage(operand);
    if (buffer.constant) return const_cast<char*>(static_cast<const char*>(buffer.constant)) + operand.offset;
    if (!buffer.is_temporary()) return nullptr;
    return arena_.at[size_t(program_.storage_of(operand.buffer))] + operand.offset;
  }

  void bind(const Step& step, BoundStep& to) {
    if (step.kind == StepKind::copy) {
      to.bytes = program_.buffers[size_t(step.arguments[1].second.buffer)].bytes;
    } else {
      to.memories.reserve(step.arguments.size());
      for (const auto& [name, operand] : step.arguments) {
        char* at = address(operand);
        to.memories.emplace_back(operand.desc, engine_, at ? static_cast<void*>(at) : DNNL_MEMORY_NONE);
        to.arguments.push_back({name, to.memories.back().get()});
      }
    }
    for (const KernelTensor& in : step.inputs) to.inputs.push_back({in.type, in.dims, address(in.at)});
    for (const KernelTensor& out : step.outputs) to.outputs.push_back({out.type, out.dims, address(out.at)});
  }

  char* outside(const Operand& operand, std::span<const rt::TensorView> inputs,
                std::span<const rt::OutputView> outputs) const {
    const Buffer& buffer = storage(operand);
    if (buffer.input >= 0)
      return static_cast<char*>(const_cast<void*>(inputs[size_t(buffer.input)].data)) + operand.offset;
    return static_cast<char*>(outputs[size_t(buffer.output)].data) + operand.offset;
  }

  bool is_outside(const Operand& operand) const { return operand.buffer >= 0 && !address(operand); }

  void point_to(std::span<const rt::TensorView> inputs, std::span<const rt::OutputView> outputs) {
    for (size_t i = 0; i < bound_.size(); i++) {
      const Step& step = program_.steps[i];
      BoundStep& b = bound_[i];
      const auto at = [&](const Operand& operand) {
        return is_outside(operand) ? outside(operand, inputs, outputs) : address(operand);
      };
      if (step.kind == StepKind::copy)
        b.from = at(step.arguments[0].second), b.to = at(step.arguments[1].second);
      else
        for (size_t a = 0; a < b.memories.size(); a++)
          if (is_outside(step.arguments[a].second)) b.memories[a].set_data_handle(at(step.arguments[a].second));
      for (size_t k = 0; k < b.inputs.size(); k++) b.inputs[k].data = at(step.inputs[k].at);
      for (size_t k = 0; k < b.outputs.size(); k++) b.outputs[k].data = at(step.outputs[k].at);
    }
  }

  void execute(const Step& step, const BoundStep& b) {
    if (step.kind == StepKind::kernels) return step.session->run(b.inputs, b.outputs);
    if (step.kind == StepKind::copy) {
      if (b.bytes > 0) std::memcpy(b.to, b.from, b.bytes);
      return;
    }
    // The C interface takes the arguments as they are; the C++ one copies them in every call.
    const dnnl_status_t status =
        dnnl_primitive_execute(step.primitive.get(), stream_.get(), int(b.arguments.size()), b.arguments.data());
    if (status != dnnl_success)
      internal_error("oneDNN failed to run {} {}: status {}", step.report.kind, step.report.implementation,
                     int(status));
  }

  Graph graph_;
  int threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  Program program_;
  Arena arena_;
  std::shared_ptr<void> scratch_;
  std::vector<BoundStep> bound_;
  std::vector<double> primitives_ms_, kernels_ms_;  // per run
};

}  // namespace

std::unique_ptr<contenders::OnednnGraph> make_onednn_graph(Graph graph, int threads,
                                                           const contenders::CompileGroup& compile) {
  try {
    return std::make_unique<BoundGraph>(std::move(graph), threads, compile);
  } catch (const dnnl::error& error) {
    user_error("oneDNN cannot be set up: {}", error.what());
  }
}

}  // namespace cppgen::baseline

extern "C" __attribute__((visibility("default"))) const cppgen::contenders::OnednnPlugin cppgen_plugin{
    cppgen::rt::kPluginBuild.data(), cppgen::baseline::make_onednn_graph, cppgen::baseline::end_openmp_threads};
