#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cppgen/baseline/onednn_graph.h"
#include "cppgen/cli/bench_runs.h"
#include "cppgen/cli/command_options.h"
#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"

namespace cppgen {

// The same model on oneDNN.
class TimedOnednn : public Timed {
 public:
  // Builds the model on `threads` threads and runs it once; `cancel` must outlive the object.
  TimedOnednn(const BenchOptions&, const Settings&, int threads, const std::vector<rt::Tensor>& inputs,
              const CancelToken& cancel);

  double run() override;
  void rest() override;
  const std::vector<rt::Tensor>& outputs() const { return outputs_; }
  baseline::Report report() const { return graph_->report(); }

 private:
  std::unique_ptr<rt::Session> session_of(Graph, std::unique_ptr<rt::Executor>);

  const BenchOptions& options_;
  const Settings& settings_;
  const CancelToken& cancel_;
  std::vector<CompiledModel> groups_;  // of our kernels
  std::unique_ptr<baseline::OnednnGraph> graph_;
  std::vector<rt::TensorView> inputs_;
  std::vector<rt::Tensor> outputs_;
  std::vector<rt::OutputView> output_views_;
};

// "primitives": ..., "steps": [{kind, implementation, nodes, ms}]
void write_report(Json&, const baseline::Report&);
// "oneDNN primitives 12.3 ms (45 primitives, 3 reorders), our kernels ..."
std::string report_text(const baseline::Report&);

}  // namespace cppgen
