#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cppgen.hpp"
#include "cppgen/onnxruntime/ort_call.h"
#include "cppgen/onnxruntime/ort_provider_abi.h"

namespace cppgen::ep {

// A loaded package and what it needs to stay valid.
struct LoadedPackage {
  std::shared_ptr<const void> memory;  // that holds the package, if no directory does
  std::shared_ptr<Session> session;
};

// The cppgen_dtype of an ONNX element type whose tensors both sides store in the same way, or -1.
int shared_dtype(ort::ElementType element);

// Runs a package as a node of ONNX Runtime: inputs and outputs are ONNX Runtime's memory.
class FusedNode : public ort::NodeComputeInfo {
 public:
  // `inputs` and `outputs` are the positions among those of the package of the node's inputs and outputs, in its order.
  // Failure if the package has more or fewer.
  FusedNode(const ort::Api& api, LoadedPackage package, std::vector<size_t> inputs, const std::vector<size_t>& outputs);

 private:
  struct Output {
    size_t position = 0;  // among the outputs of the package
    cppgen_dtype dtype = CPPGEN_FLOAT32;
    std::vector<int64_t> dims;  // -1: depends on the inputs
    bool fixed = false;         // no dimension does
  };
  struct Buffers;

  void compute(ort::KernelContext* context);
  void read_inputs(const ort::KernelContext* context, Buffers& buffers) const;
  bool allocate_outputs(ort::KernelContext* context, Buffers& buffers) const;
  void run_and_copy(ort::KernelContext* context, Buffers& buffers) const;

  const ort::Api& api_;
  LoadedPackage package_;
  std::vector<size_t> inputs_;  // positions among the inputs of the package
  std::vector<Output> outputs_;
  // Whether dimensions of outputs are known only after a run.
  std::atomic<bool> sizes_from_data_{false};
};

}  // namespace cppgen::ep
