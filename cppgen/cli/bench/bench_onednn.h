#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cppgen/cli/bench/bench_baseline.h"
#include "cppgen/cli/shared/command_options.h"
#include "cppgen/contenders/onednn_graph.h"
#include "cppgen/flow/compile/compiler.h"
#include "runtime/base/json_text.h"
#include "runtime/base/settings.h"
#include "runtime/session/session.h"

namespace cppgen {

// The same model on oneDNN.
class TimedOnednn : public Baseline {
 public:
  // Builds the model on `threads` threads and runs it once; the arguments, and the data of the inputs, must outlive the
  // object.
  TimedOnednn(const ModelOptions&, const Settings&, int threads, std::vector<rt::TensorView> inputs,
              const CancelToken& cancel);

  double run() override;
  void rest() override;
  std::string engine() const override { return "onednn"; }
  const std::vector<rt::Tensor>& outputs() const override { return outputs_; }
  void describe(Json&) const override;
  std::string description() const override;
  contenders::Report report() const { return graph_->report(); }

 private:
  std::unique_ptr<rt::Session> session_of(Graph, std::unique_ptr<rt::Executor>);

  const ModelOptions& options_;
  const Settings& settings_;
  const CancelToken& cancel_;
  std::vector<CompiledModel> groups_;  // of our kernels
  std::unique_ptr<contenders::OnednnGraph> graph_;
  std::vector<rt::TensorView> inputs_;
  std::vector<rt::Tensor> outputs_;
  std::vector<rt::OutputView> output_views_;
};

}  // namespace cppgen
