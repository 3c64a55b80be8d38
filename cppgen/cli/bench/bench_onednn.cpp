#include "cppgen/cli/bench/bench_onednn.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "runtime/base/printable.h"
#include "runtime/threads/executor.h"

namespace cppgen {

TimedOnednn::TimedOnednn(const ModelOptions& options, const Settings& settings, int threads,
                         std::vector<rt::TensorView> inputs, const CancelToken& cancel)
    : options_(options), settings_(settings), cancel_(cancel), inputs_(std::move(inputs)) {
  StageClock clock;
  CompileRequest request = compile_request(options, settings, cancel);
  request.settings.freezing = true;
  Graph graph = read_and_simplify(request, clock, nullptr);
  graph_ = contenders::onednn_plugin().make_graph(std::move(graph), threads,
                                                  [this](Graph group, std::unique_ptr<rt::Executor> executor) {
                                                    return session_of(std::move(group), std::move(executor));
                                                  });
  outputs_ = graph_->new_outputs();
  for (rt::Tensor& output : outputs_) output_views_.push_back(output.output());
  TimedOnednn::run();
}

std::unique_ptr<rt::Session> TimedOnednn::session_of(Graph group, std::unique_ptr<rt::Executor> executor) {
  CompileRequest request = compile_request(options_, settings_, cancel_);
  request.settings.trace = request.settings.debug_fusion = false;  // these are about the model, not about its parts
  request.settings.ops_record.clear();
  groups_.push_back(compile_graph(std::move(group), request));
  throw_if_cancelled(cancel_);
  rt::SessionOptions session_options = rt::SessionOptions::from(settings_);
  session_options.profile_output.clear(), session_options.save_args = false;
  session_options.enable_kernel_profile = false;  // each group is timed as a whole
  return std::make_unique<rt::Session>(rt::Executable::load(groups_.back().package, {.trust_weights = true}),
                                       session_options, std::move(executor));
}

double TimedOnednn::run() {
  const double begin = seconds_now();
  graph_->run(inputs_, output_views_);
  return seconds_now() - begin;
}

void TimedOnednn::rest() { contenders::onednn_plugin().end_threads(); }

// "primitives": ..., "steps": [{kind, implementation, nodes, ms}]
void TimedOnednn::describe(Json& json) const {
  const contenders::Report report = this->report();
  json["primitives"] = report.primitives;
  json["reorders"] = report.reorders;
  json["primitives_ms"] = report.primitives_ms;
  json["kernels_ms"] = report.kernels_ms;
  json["steps"] = Json::array();
  for (const contenders::StepReport& step : report.steps) {
    Json item;
    item["kind"] = step.kind;
    item["implementation"] = step.implementation;
    item["nodes"] = step.nodes;
    item["ms"] = step.median_ms;
    json["steps"].push_back(std::move(item));
  }
}

// "oneDNN primitives 12.3 ms (45 primitives, 3 reorders), cppgen kernels for the rest ..."
std::string TimedOnednn::description() const {
  const contenders::Report report = this->report();
  std::map<std::string, int> operators;
  int nodes = 0;
  for (const contenders::StepReport& step : report.steps)
    if (step.ours)
      for (const std::string& op : step.operators) operators[printable(op)]++, nodes++;
  std::string names;
  for (const auto& [op, count] : operators) names += fmt::format("{}{} {}", names.empty() ? "" : ", ", count, op);
  std::string text = fmt::format("         oneDNN primitives {:.4g} ms ({}, {})", report.primitives_ms,
                                 counted(report.primitives, "primitive"), counted(report.reorders, "reorder"));
  if (nodes == 0) return text + "\n";
  return text + fmt::format(", cppgen kernels for the rest {:.4g} ms ({}: {})\n", report.kernels_ms,
                            counted(nodes, "node"), names);
}

}  // namespace cppgen
