#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cppgen/contenders/onnxruntime_library.h"
#include "runtime/values/tensor.h"

namespace cppgen::contenders {

struct OnnxRuntimeRequest {
  std::string model;                                   // path of an .onnx file
  int threads = 1;                                     // of one operator; operators run one after the other
  std::vector<std::pair<std::string, int64_t>> sizes;  // of named dimensions
  std::vector<std::string> inputs, outputs;            // names, in the order in which tensors are given
};

// A model on ONNX Runtime with all its optimisations, for one set of inputs.
class OnnxRuntimeModel {
 public:
  // Loads the model and runs it once, which decides the dimensions of the outputs. The data of the inputs must outlive
  // the object. UserError for what the library refuses, and for outputs and types that are not plain tensors.
  OnnxRuntimeModel(std::shared_ptr<const OnnxRuntime>, const OnnxRuntimeRequest&,
                   std::span<const rt::TensorView> inputs);
  ~OnnxRuntimeModel();

  void run();  // into outputs()
  const std::vector<rt::Tensor>& outputs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cppgen::contenders
