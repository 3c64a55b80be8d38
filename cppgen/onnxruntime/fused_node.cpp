#include "cppgen/onnxruntime/fused_node.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cppgen::ep {
namespace {

// The index is ONNX's number of the type; -1 means that it is stored in another way, or not by numbers.
constexpr std::array<int, 25> kDtypes = {-1,
                                         CPPGEN_FLOAT32,
                                         CPPGEN_UINT8,
                                         CPPGEN_INT8,
                                         CPPGEN_UINT16,
                                         CPPGEN_INT16,
                                         CPPGEN_INT32,
                                         CPPGEN_INT64,
                                         -1,
                                         CPPGEN_BOOL,
                                         CPPGEN_FLOAT16,
                                         CPPGEN_FLOAT64,
                                         CPPGEN_UINT32,
                                         CPPGEN_UINT64,
                                         -1,
                                         -1,
                                         CPPGEN_BFLOAT16,
                                         CPPGEN_FLOAT8E4M3FN,
                                         CPPGEN_FLOAT8E4M3FNUZ,
                                         CPPGEN_FLOAT8E5M2,
                                         CPPGEN_FLOAT8E5M2FNUZ,
                                         -1,
                                         -1,
                                         -1,
                                         CPPGEN_FLOAT8E8M0};

}  // namespace

int shared_dtype(ort::ElementType element) {
  return element >= 0 && size_t(element) < kDtypes.size() ? kDtypes[size_t(element)] : -1;
}

// The buffers of one run. A thread keeps them, so that its runs allocate nothing.
struct FusedNode::Buffers {
  std::vector<cppgen_tensor> inputs, outputs;
  std::vector<std::vector<int64_t>> input_dims, output_dims;
};

FusedNode::FusedNode(const ort::Api& api, LoadedPackage package, const RunOptions& options, std::vector<size_t> inputs,
                     const std::vector<size_t>& outputs, bool is_whole)
    : ort::NodeComputeInfo{},
      api_(api),
      package_(std::move(package)),
      options_(options),
      inputs_(std::move(inputs)),
      is_whole_(is_whole) {
  version = ort::kApiVersion;
  CreateState = [](ort::NodeComputeInfo*, ort::ComputeContext*, void** state) -> ort::Status* {
    *state = nullptr;
    return nullptr;
  };
  Compute = [](ort::NodeComputeInfo* info, void*, ort::KernelContext* context) -> ort::Status* {
    auto* node = static_cast<FusedNode*>(info);
    return guarded(node->api_, [&] { node->compute(context); });
  };
  ReleaseState = [](ort::NodeComputeInfo*, void*) {};
  const Session& session = *package_.session;
  const std::vector<TensorInfo> infos = session.outputs();
  if (session.inputs().size() != inputs_.size() || infos.size() != outputs.size())
    throw Failure("cppgen: the package has " + std::to_string(session.inputs().size()) + " inputs and " +
                  std::to_string(infos.size()) + " outputs, but its node has " + std::to_string(inputs_.size()) +
                  " and " + std::to_string(outputs.size()));
  for (const size_t position : outputs) {
    const TensorInfo& info = infos.at(position);
    const bool fixed =
        info.ranked && std::all_of(info.dims.begin(), info.dims.end(), [](int64_t dim) { return dim >= 0; });
    outputs_.push_back({position, info.type, info.dims, fixed});
  }
}

void FusedNode::read_inputs(const ort::KernelContext* context, Buffers& buffers) const {
  buffers.inputs.resize(inputs_.size());
  buffers.input_dims.resize(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); i++) {
    const ort::Value* value = nullptr;
    require(api_, api_.KernelContext_GetInput(context, i, &value));
    ort::TensorInfo* owned = nullptr;
    require(api_, api_.GetTensorTypeAndShape(value, &owned));
    const std::unique_ptr<ort::TensorInfo, void (*)(ort::TensorInfo*)> info(owned, api_.ReleaseTensorTypeAndShapeInfo);
    ort::ElementType element = 0;
    size_t rank = 0;
    require(api_, api_.GetTensorElementType(owned, &element));
    require(api_, api_.GetDimensionsCount(owned, &rank));
    std::vector<int64_t>& dims = buffers.input_dims[i];
    dims.resize(rank);
    require(api_, api_.GetDimensions(owned, dims.data(), rank));
    const void* data = member(api_, api_.GetTensorData, value);
    buffers.inputs[inputs_[i]] = {cppgen_dtype(shared_dtype(element)), rank, dims.data(), const_cast<void*>(data)};
  }
}

// Has ONNX Runtime allocate the outputs. False if their dimensions are not known before the run.
bool FusedNode::allocate_outputs(ort::KernelContext* context, Buffers& buffers) const {
  buffers.output_dims.resize(outputs_.size());
  buffers.outputs.resize(outputs_.size());
  cppgen_error error;
  for (size_t i = 0; i < outputs_.size(); i++) {
    const Output& output = outputs_[i];
    std::vector<int64_t>& dims = buffers.output_dims[i];
    dims = output.dims;
    if (!output.fixed &&
        cppgen_session_output_dims(package_.session->get(), buffers.inputs.data(), buffers.inputs.size(),
                                   output.position, dims.data(), dims.size(), &error) != CPPGEN_OK)
      return false;
  }
  for (size_t i = 0; i < outputs_.size(); i++) {
    const std::vector<int64_t>& dims = buffers.output_dims[i];
    ort::Value* value = nullptr;
    require(api_, api_.KernelContext_GetOutput(context, i, dims.data(), dims.size(), &value));
    void* data = nullptr;
    require(api_, api_.GetTensorMutableData(value, &data));
    buffers.outputs[outputs_[i].position] = {outputs_[i].dtype, dims.size(), dims.data(), data};
  }
  return true;
}

// Copies results whose dimensions only the run tells.
void FusedNode::run_and_copy(ort::KernelContext* context, Buffers& buffers) {
  cppgen_results* owned = nullptr;
  run(context, [&](cppgen_session* session) {
    detail::call(cppgen_session_run_results, session, buffers.inputs.data(), buffers.inputs.size(), &owned);
  });
  const detail::Handle<cppgen_results, cppgen_results_free> results(owned);
  for (size_t i = 0; i < outputs_.size(); i++) {
    cppgen_tensor found;
    detail::call(cppgen_results_tensor, owned, outputs_[i].position, size_t(0), &found);
    ort::Value* value = nullptr;
    require(api_, api_.KernelContext_GetOutput(context, i, found.dims, found.rank, &value));
    void* data = nullptr;
    require(api_, api_.GetTensorMutableData(value, &data));
    if (const size_t bytes = member<size_t, ort::Value>(api_, api_.GetTensorSizeInBytes, value); bytes > 0)
      std::memcpy(data, found.data, bytes);
  }
}

cppgen_session* FusedNode::alone() {
  std::call_once(alone_once_, [&] { alone_ = package_.load(options_.alone()); });
  return alone_->get();
}

cppgen_session* FusedNode::own(int threads) {
  if (threads == 1) return package_.session->get();  // which nobody helps outside of HostThreads::run
  std::call_once(own_once_, [&] { own_ = package_.load(options_.with_threads(threads)); });
  return own_->get();
}

// Groups between nodes of ONNX Runtime run on its threads, which spin for a while after each node. A whole model has as
// many of cppgen's own, which soon sleep: those of several sessions that take turns do not disturb each other.
void FusedNode::run(ort::KernelContext* context, const std::function<void(cppgen_session*)>& body) {
  cppgen_session* const session = package_.session->get();
  HostThreads* const threads = options_.host_threads();
  if (!threads) return body(session);
  const HostThreads::Turn turn(*threads);
  if (!turn) return body(alone());
  if (const int count = is_whole_ ? threads->count(api_, context) : 0; count > 0) return body(own(count));
  const bool needs_help = needs_help_.load(std::memory_order_relaxed);
  const bool asked = threads->run(api_, context, needs_help, [&] { body(session); });
  if (asked != needs_help) needs_help_ = asked;
}

void FusedNode::compute(ort::KernelContext* context) {
  static thread_local Buffers of_this_thread;
  Buffers& buffers = of_this_thread;
  read_inputs(context, buffers);
  if (!sizes_from_data_ && allocate_outputs(context, buffers))
    return run(context, [&](cppgen_session* session) {
      detail::call(cppgen_session_run, session, buffers.inputs.data(), buffers.inputs.size(), buffers.outputs.data(),
                   buffers.outputs.size());
    });
  run_and_copy(context, buffers);
  sizes_from_data_ = true;
}

}  // namespace cppgen::ep
