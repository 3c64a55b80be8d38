#pragma once
#include <dnnl.hpp>
#include <list>
#include <memory>
#include <vector>

#include "runtime/library/library.h"
#include "runtime/plan/calls/onednn.h"

namespace cppgen::rt {

// During its lifetime, oneDNN works only on the calling thread, because its OpenMP threads would compete with ours.
// It is also needed where a primitive is created, because this fixes how it divides its work.
class SingleOpenMpThread {
 public:
  SingleOpenMpThread();
  ~SingleOpenMpThread();
  SingleOpenMpThread(const SingleOpenMpThread&) = delete;

 private:
  int old_;
};

// The optional buffers of a step and their positions in its buffer list.
struct OneDnnArguments {
  bool bias, relu, add;

  explicit OneDnnArguments(const OneDnnCall<int64_t>& call) : bias(call.bias), relu(call.relu), add(call.add) {}
  size_t bias_index() const { return 2; }
  size_t add_index() const { return 2 + bias; }
  size_t output_index() const { return 2 + bias + add; }
};

// bias is the primitive's own; addend and maximum follow as post-operations, the addend laid out like the output.
dnnl::primitive_attr onednn_attributes(const OneDnnArguments&, const dnnl::memory::desc& output);

// Weights in the formats that primitives have requested, each made once.
class OneDnnWeights {
 public:
  explicit OneDnnWeights(dnnl::engine engine) : engine_(std::move(engine)) {}

  // `data`, described by `plain`, in the format `wanted`. Data are not copied if the formats agree.
  const dnnl::memory* get(const float* data, const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted);

 private:
  struct Entry {
    const float* data;
    dnnl::memory::desc plain, wanted;
    dnnl::memory memory;
  };
  dnnl::engine engine_;
  std::list<Entry> entries_;  // addresses are stable
};

struct OneDnnPrimitive {
  dnnl::primitive primitive;
  dnnl::memory::desc source, weights, bias, output, scratch;
};

// One call of a primitive. Offsets are in elements.
struct OneDnnPiece {
  size_t primitive;
  int64_t source, bias, output;  // the addend has the layout of the output
  int64_t weights = 0;           // for weights that are not constant
  const dnnl::memory* constant = nullptr;
};

// The pieces of one step, consecutive ones forming chunks.
class OneDnnTask : public LibraryTask {
 public:
  OneDnnTask(dnnl::engine engine, OneDnnArguments arguments, std::vector<OneDnnPrimitive> primitives,
             std::vector<OneDnnPiece> pieces, int64_t chunks);
  int64_t chunks() const override { return chunks_; }
  int64_t scratch_bytes() const override { return scratch_bytes_; }
  void run(std::span<void* const> buffers, int64_t chunk, char* scratch) const override;

 private:
  void execute(const OneDnnPiece&, std::span<void* const> buffers, char* scratch) const;

  dnnl::engine engine_;
  mutable dnnl::stream stream_;  // of the CPU: executes immediately and has no state
  OneDnnArguments arguments_;
  std::vector<OneDnnPrimitive> primitives_;
  std::vector<OneDnnPiece> pieces_;
  int64_t chunks_;
  int64_t scratch_bytes_ = 0;
};

// Throws UserError unless `ok`; for wrong parameters in a plan.
void onednn_require(bool ok, const char* what);

// `constant` is the data of the weights, or null if they are an input of the run.
std::shared_ptr<const LibraryTask> bind_onednn_convolution(const dnnl::engine&, OneDnnWeights&, const float* constant,
                                                           const OneDnnCall<int64_t>&, const BoundCall&);
std::shared_ptr<const LibraryTask> bind_onednn_matmul(const dnnl::engine&, OneDnnWeights&, const float* constant,
                                                      const OneDnnCall<int64_t>&, const BoundCall&);

}  // namespace cppgen::rt
