#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"
#include "runtime/threads/executor.h"
#include "runtime/values/tensor.h"

namespace cppgen::rt {
class Session;
}

namespace cppgen::contenders {

// A graph as a user of oneDNN would write it by hand: every operator that oneDNN supports is a primitive (with packed
// weights, channels-last images, and activations and residual additions as post-operations) on oneDNN's own OpenMP
// threads; the rest are our kernels, on the same threads. `bench --against onednn` compares with it.

// Compiles a graph of nodes that oneDNN has no primitive for into a session that runs on the given threads.
using CompileGroup = std::function<std::unique_ptr<rt::Session>(Graph, std::unique_ptr<rt::Executor>)>;

struct StepReport {
  std::string kind;            // "convolution", "reorder", "kernels" ...
  std::string implementation;  // oneDNN's name of the implementation; empty for our kernels
  std::vector<std::string> nodes, operators;
  double median_ms = 0;
  bool ours = false;
};

struct Report {
  std::vector<StepReport> steps;
  int64_t primitives = 0, reorders = 0;      // reorders are not among the primitives
  double primitives_ms = 0, kernels_ms = 0;  // medians over runs; the first includes the reorders
};

class OnednnGraph {
 public:
  virtual ~OnednnGraph() = default;

  // Dense row-major tensors in the order of the model, with the graph's types and dimensions. Must not be called
  // concurrently.
  virtual void run(std::span<const rt::TensorView> inputs, std::span<const rt::OutputView> outputs) = 0;
  virtual std::vector<rt::Tensor> new_outputs() const = 0;

  // Times of all runs so far.
  virtual Report report() const = 0;
};

// The functions that the plugin with oneDNN exports (runtime/plugins/plugin.h). It is of the same build as the
// program, whose functions it calls.
struct OnednnPlugin {
  const char* build;

  // `graph` must be the result of the graph passes. UserError if a dimension is not bound or oneDNN cannot be
  // initialised.
  std::unique_ptr<OnednnGraph> (*make_graph)(Graph graph, int threads, const CompileGroup&);

  // Ends the threads that ran oneDNN for the caller, which would otherwise spin for a while. The next run starts them
  // again.
  void (*end_threads)();
};

// The plugin, which the first call loads. UserError that says how to get it if it is missing.
const OnednnPlugin& onednn_plugin();

}  // namespace cppgen::contenders
