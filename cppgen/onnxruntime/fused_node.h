#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cppgen.hpp"
#include "cppgen/onnxruntime/ort_call.h"
#include "cppgen/onnxruntime/ort_provider_abi.h"
#include "cppgen/onnxruntime/run_options.h"

namespace cppgen::ep {

// A package that was loaded once, and can be loaded again with other options.
struct LoadedPackage {
  std::function<std::shared_ptr<Session>(const Options&)> load;
  std::shared_ptr<Session> session;
};

// The cppgen_dtype of an ONNX element type whose tensors both sides store in the same way, or -1.
int shared_dtype(ort::ElementType element);

// Runs a package as a node of ONNX Runtime: inputs and outputs are ONNX Runtime's memory.
class FusedNode : public ort::NodeComputeInfo {
 public:
  // `inputs` and `outputs` are the positions among those of the package of the node's inputs and outputs, in its order.
  // Failure if the package has more or fewer. The options must outlive it. `is_whole`: ONNX Runtime's session has no
  // other nodes.
  FusedNode(const ort::Api& api, LoadedPackage package, const RunOptions& options, std::vector<size_t> inputs,
            const std::vector<size_t>& outputs, bool is_whole);

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
  void run_and_copy(ort::KernelContext* context, Buffers& buffers);
  // Calls `body` with a session, perhaps on another thread.
  void run(ort::KernelContext* context, const std::function<void(cppgen_session*)>& body);
  cppgen_session* alone();
  cppgen_session* own(int threads);

  const ort::Api& api_;
  LoadedPackage package_;
  const RunOptions& options_;
  std::vector<size_t> inputs_;  // positions among the inputs of the package
  std::vector<Output> outputs_;
  // Tells whether dimensions of outputs are known only after a run.
  std::atomic<bool> sizes_from_data_{false};
  std::atomic<bool> needs_help_{true};    // the last run asked for more threads
  std::once_flag alone_once_, own_once_;  // of the next ones
  std::shared_ptr<Session> alone_;        // for runs while another one has the threads
  std::shared_ptr<Session> own_;          // with threads of cppgen's own
  const bool is_whole_;
};

}  // namespace cppgen::ep
