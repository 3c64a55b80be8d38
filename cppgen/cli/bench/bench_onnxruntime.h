#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cppgen/cli/bench/bench_baseline.h"
#include "cppgen/cli/shared/command_options.h"
#include "cppgen/contenders/onnxruntime_model.h"
#include "runtime/plan/plan.h"

namespace cppgen {

// The same model on ONNX Runtime.
class TimedOnnxRuntime : public Baseline {
 public:
  // Loads the model and runs it once. The data of the inputs must outlive the object.
  TimedOnnxRuntime(std::shared_ptr<const contenders::OnnxRuntime>, const BenchOptions&, const rt::Plan&, int threads,
                   const std::vector<rt::TensorView>& inputs);

  double run() override;
  void rest() override;
  std::string engine() const override { return "onnxruntime"; }
  const std::vector<rt::Tensor>& outputs() const override { return model_.outputs(); }
  void describe(Json&) const override;
  std::string description() const override;

 private:
  const std::shared_ptr<const contenders::OnnxRuntime> library_;
  const double begin_;
  contenders::OnnxRuntimeModel model_;
  const double load_s_;
};

}  // namespace cppgen
