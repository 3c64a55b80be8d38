#include "cppgen/cli/bench/bench_onnxruntime.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/import/import.h"

namespace cppgen {
namespace {

contenders::OnnxRuntimeRequest onnxruntime_request(const BenchOptions& options, const rt::Plan& plan, int threads) {
  contenders::OnnxRuntimeRequest request{options.model, threads, {}, {}, {}};
  for (const std::string& text : options.dims)
    if (const DimOption dim = parse_dim_option(text); dim.size) request.sizes.emplace_back(dim.symbol, *dim.size);
  for (const rt::TensorInfo& input : plan.inputs) request.inputs.push_back(input.name);
  for (const rt::TensorInfo& output : plan.outputs) request.outputs.push_back(output.name);
  return request;
}

// The CPU time of all threads of this process.
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

}  // namespace

TimedOnnxRuntime::TimedOnnxRuntime(std::shared_ptr<const contenders::OnnxRuntime> library, const BenchOptions& options,
                                   const rt::Plan& plan, int threads, const std::vector<rt::TensorView>& inputs)
    : library_(std::move(library)),
      begin_(seconds_now()),
      model_(library_, onnxruntime_request(options, plan, threads), inputs),
      load_s_(seconds_now() - begin_) {}

double TimedOnnxRuntime::run() {
  const double begin = seconds_now();
  model_.run();
  return seconds_now() - begin;
}

// Its threads look for more work for some tens of milliseconds, and there is no way to stop them that does not make its
// runs slower.
void TimedOnnxRuntime::rest() {
  constexpr std::chrono::milliseconds kWait(5);
  constexpr int kMostWaits = 60;
  constexpr double kIdle = 0.1;  // share of one processor
  for (int i = 0; i < kMostWaits; i++) {
    const double used = processor_seconds(), begin = seconds_now();
    std::this_thread::sleep_for(kWait);
    if (processor_seconds() - used < kIdle * (seconds_now() - begin)) return;
  }
}

void TimedOnnxRuntime::describe(Json& json) const {
  json["version"] = library_->version();
  json["load_s"] = load_s_;
}

std::string TimedOnnxRuntime::description() const {
  return fmt::format("         ONNX Runtime {}, first result after {}\n", printable(library_->version()),
                     seconds_text(load_s_));
}

}  // namespace cppgen
