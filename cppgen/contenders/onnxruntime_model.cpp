#include "cppgen/contenders/onnxruntime_model.h"

#include "runtime/base/dtype.h"
#include "runtime/base/errors.h"

namespace cppgen::contenders {
namespace {

// An object of the library, which releases it.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

// Its elements of fewer than eight bits share bytes.
int element_type(DType type, const std::string& name) {
  if (is_small_int(type) || is_coded_float(type))
    user_error("--against onnxruntime: '{}' is {}, which ONNX Runtime stores in another way", name, name_of(type));
  return dtype_row(type).onnx;
}

}  // namespace

struct OnnxRuntimeModel::Impl {
  explicit Impl(std::shared_ptr<const OnnxRuntime> loaded, const OnnxRuntimeRequest& of)
      : library(std::move(loaded)),
        request(of),
        input_names(pointers(request.inputs)),
        output_names(pointers(request.outputs)) {}

  template <class T, class Create, class Release>
  Owned<T> make(Release release, const char* what, const Create& create) const {
    T* object = nullptr;
    library->check(create(&object), what);
    return {object, release};
  }

  void load() {
    const ort::Api& api = library->api();
    env =
        make<ort::Env>(api.ReleaseEnv, "start", [&](auto** o) { return api.CreateEnv(ort::kLogErrors, "cppgen", o); });
    const auto options = make<ort::SessionOptions>(api.ReleaseSessionOptions, "options", api.CreateSessionOptions);
    library->check(api.SetSessionGraphOptimizationLevel(options.get(), ort::kAllOptimizations), "optimisations");
    library->check(api.SetSessionExecutionMode(options.get(), ort::kSequential), "execution mode");
    library->check(api.SetIntraOpNumThreads(options.get(), request.threads), "threads");
    library->check(api.SetInterOpNumThreads(options.get(), 1), "threads");
    for (const auto& [name, size] : request.sizes)
      library->check(api.AddFreeDimensionOverrideByName(options.get(), name.c_str(), size), "sizes of dimensions");
    session = make<ort::Session>(api.ReleaseSession, "loading the model", [&](auto** o) {
      return api.CreateSession(env.get(), request.model.c_str(), options.get(), o);
    });
    memory = make<ort::MemoryInfo>(api.ReleaseMemoryInfo, "memory", [&](auto** o) {
      return api.CreateCpuMemoryInfo(ort::kDeviceAllocator, ort::kDefaultMemory, o);
    });
  }

  Owned<ort::Value> value_in(DType type, std::span<const int64_t> dims, const void* data, const std::string& name) {
    const ort::Api& api = library->api();
    return make<ort::Value>(api.ReleaseValue, "tensors", [&](auto** o) {
      return api.CreateTensorWithDataAsOrtValue(memory.get(), const_cast<void*>(data),
                                                size_t(rt::byte_size(type, dims)), dims.data(), dims.size(),
                                                element_type(type, name), o);
    });
  }

  // A tensor of the type and the dimensions of a result.
  rt::Tensor tensor_like(const ort::Value* value, const std::string& name) const {
    const ort::Api& api = library->api();
    int is_tensor = 0;
    library->check(api.IsTensor(value, &is_tensor), "outputs");
    if (!is_tensor) user_error("--against onnxruntime: the output '{}' is not a tensor", name);
    const auto info = make<ort::TensorTypeAndShapeInfo>(api.ReleaseTensorTypeAndShapeInfo, "outputs",
                                                        [&](auto** o) { return api.GetTensorTypeAndShape(value, o); });
    int type = 0;
    size_t rank = 0;
    library->check(api.GetTensorElementType(info.get(), &type), "outputs");
    library->check(api.GetDimensionsCount(info.get(), &rank), "outputs");
    std::vector<int64_t> dims(rank);
    library->check(api.GetDimensions(info.get(), dims.data(), rank), "outputs");
    const auto known = dtype_from_onnx(type);
    if (!known) user_error("--against onnxruntime: the output '{}' is not numeric", name);
    (void)element_type(*known, name);
    return {*known, std::move(dims)};
  }

  void run_with(std::vector<ort::Value*>& results) {
    std::vector<const ort::Value*> values;
    for (const auto& input : inputs) values.push_back(input.get());
    library->check(library->api().Run(session.get(), nullptr, input_names.data(), values.data(), values.size(),
                                      output_names.data(), output_names.size(), results.data()),
                   "running the model");
  }

  // Results of the library's own memory, from which the outputs get their dimensions.
  void make_outputs() {
    std::vector<ort::Value*> allocated(request.outputs.size(), nullptr);
    run_with(allocated);
    std::vector<Owned<ort::Value>> owned;
    for (ort::Value* value : allocated) owned.emplace_back(value, library->api().ReleaseValue);
    for (size_t i = 0; i < owned.size(); i++) outputs.push_back(tensor_like(owned[i].get(), request.outputs[i]));
    for (size_t i = 0; i < outputs.size(); i++)
      results.push_back(value_in(outputs[i].type(), outputs[i].dims(), outputs[i].data(), request.outputs[i]));
    for (const auto& result : results) result_pointers.push_back(result.get());
  }

  const std::shared_ptr<const OnnxRuntime> library;
  const OnnxRuntimeRequest request;
  const std::vector<const char*> input_names, output_names;
  Owned<ort::Env> env{nullptr, nullptr};
  Owned<ort::Session> session{nullptr, nullptr};
  Owned<ort::MemoryInfo> memory{nullptr, nullptr};
  std::vector<rt::Tensor> outputs;
  std::vector<Owned<ort::Value>> inputs, results;
  std::vector<ort::Value*> result_pointers;
};

OnnxRuntimeModel::OnnxRuntimeModel(std::shared_ptr<const OnnxRuntime> library, const OnnxRuntimeRequest& request,
                                   std::span<const rt::TensorView> inputs)
    : impl_(std::make_unique<Impl>(std::move(library), request)) {
  impl_->load();
  for (size_t i = 0; i < inputs.size(); i++)
    impl_->inputs.push_back(impl_->value_in(inputs[i].type, inputs[i].dims, inputs[i].data, request.inputs[i]));
  impl_->make_outputs();
}

OnnxRuntimeModel::~OnnxRuntimeModel() = default;

void OnnxRuntimeModel::run() { impl_->run_with(impl_->result_pointers); }

const std::vector<rt::Tensor>& OnnxRuntimeModel::outputs() const { return impl_->outputs; }

}  // namespace cppgen::contenders
