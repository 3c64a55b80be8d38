// A library with the interface of ONNX Runtime for tests of what calls it. Whatever the model is, it computes
// y = max(x, 0) of float32. The variable FAKE_ONNXRUNTIME changes what it does: "old", "refuse" or "wrong".
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cppgen/contenders/onnxruntime_api.h"

namespace ort = cppgen::contenders::ort;

namespace {

bool asked_to(const char* what) {
  const char* value = std::getenv("FAKE_ONNXRUNTIME");
  return value && std::strcmp(value, what) == 0;
}

int g_alive = 0;  // objects that were made and not released

}  // namespace

namespace cppgen::contenders::ort {

struct Counted {
  Counted() { g_alive++; }
  ~Counted() { g_alive--; }
};
struct Env : Counted {};
struct Status : Counted {
  std::string message;
};
struct MemoryInfo : Counted {};
struct Session : Counted {};
struct SessionOptions : Counted {
  int optimizations = 0, threads = 0;
  int64_t n = 0;
};
struct TensorTypeAndShapeInfo : Counted {
  std::vector<int64_t> dims;
};
struct Value : Counted {
  std::vector<int64_t> dims;
  std::vector<float> own;
  float* data = nullptr;
  size_t count = 0;
};

}  // namespace cppgen::contenders::ort

namespace {

template <class T>
ort::Status* make(T** out) {
  *out = new T;
  return nullptr;
}
template <class T>
void release(T* object) {
  delete object;
}

ort::Status* refusal(const char* message) {
  auto* status = new ort::Status;
  status->message = message;
  return status;
}

ort::Status* create_session(const ort::Env*, const char*, const ort::SessionOptions* options, ort::Session** out) {
  if (asked_to("refuse")) return refusal("the model is too good");
  if (options->optimizations != 99 || options->threads < 1 || options->n != 64) return refusal("wrong options");
  return make(out);
}

ort::Status* tensor_with_data(const ort::MemoryInfo*, void* data, size_t bytes, const int64_t* dims, size_t rank,
                              ort::ElementType type, ort::Value** out) {
  if (type != 1) return refusal("only float32");
  make(out);
  (*out)->dims.assign(dims, dims + rank);
  (*out)->data = static_cast<float*>(data);
  (*out)->count = bytes / sizeof(float);
  return nullptr;
}

ort::Status* run(ort::Session*, const ort::RunOptions*, const char* const* input_names, const ort::Value* const* inputs,
                 size_t input_count, const char* const* output_names, size_t output_count, ort::Value** outputs) {
  if (input_count != 1 || output_count != 1 || std::strcmp(input_names[0], "x") || std::strcmp(output_names[0], "y"))
    return refusal("other names");
  const ort::Value& x = *inputs[0];
  if (!outputs[0]) {
    make(outputs);
    outputs[0]->dims = x.dims;
    outputs[0]->own.resize(x.count);
    outputs[0]->data = outputs[0]->own.data();
  }
  for (size_t i = 0; i < x.count; i++) outputs[0]->data[i] = std::max(x.data[i], 0.0f) + (asked_to("wrong") ? 1 : 0);
  return nullptr;
}

void release_env(ort::Env* env) {
  delete env;
  std::fprintf(stderr, "fake ONNX Runtime: %d objects left\n", g_alive);
}

ort::Api table() {
  ort::Api api{};
  api.GetErrorMessage = [](const ort::Status* status) { return status->message.c_str(); };
  api.CreateEnv = [](ort::LoggingLevel, const char*, ort::Env** out) { return make(out); };
  api.CreateSession = create_session;
  api.Run = run;
  api.CreateSessionOptions = make<ort::SessionOptions>;
  api.SetSessionExecutionMode = [](ort::SessionOptions*, ort::ExecutionMode) -> ort::Status* { return nullptr; };
  api.SetSessionGraphOptimizationLevel = [](ort::SessionOptions* o, ort::GraphOptimizationLevel l) -> ort::Status* {
    o->optimizations = l;
    return nullptr;
  };
  api.SetIntraOpNumThreads = [](ort::SessionOptions* o, int n) -> ort::Status* {
    o->threads = n;
    return nullptr;
  };
  api.SetInterOpNumThreads = [](ort::SessionOptions*, int) -> ort::Status* { return nullptr; };
  api.AddFreeDimensionOverrideByName = [](ort::SessionOptions* o, const char*, int64_t size) -> ort::Status* {
    o->n = size;
    return nullptr;
  };
  api.CreateTensorWithDataAsOrtValue = tensor_with_data;
  api.IsTensor = [](const ort::Value*, int* is) -> ort::Status* {
    *is = 1;
    return nullptr;
  };
  api.GetTensorElementType = [](const ort::TensorTypeAndShapeInfo*, ort::ElementType* type) -> ort::Status* {
    *type = 1;
    return nullptr;
  };
  api.GetDimensionsCount = [](const ort::TensorTypeAndShapeInfo* info, size_t* rank) -> ort::Status* {
    *rank = info->dims.size();
    return nullptr;
  };
  api.GetDimensions = [](const ort::TensorTypeAndShapeInfo* info, int64_t* dims, size_t) -> ort::Status* {
    std::copy(info->dims.begin(), info->dims.end(), dims);
    return nullptr;
  };
  api.GetTensorTypeAndShape = [](const ort::Value* value, ort::TensorTypeAndShapeInfo** out) -> ort::Status* {
    make(out);
    (*out)->dims = value->dims;
    return nullptr;
  };
  api.CreateCpuMemoryInfo = [](ort::AllocatorType, ort::MemoryType, ort::MemoryInfo** out) { return make(out); };
  api.ReleaseEnv = release_env;
  api.ReleaseStatus = release<ort::Status>;
  api.ReleaseMemoryInfo = release<ort::MemoryInfo>;
  api.ReleaseSession = release<ort::Session>;
  api.ReleaseValue = release<ort::Value>;
  api.ReleaseTensorTypeAndShapeInfo = release<ort::TensorTypeAndShapeInfo>;
  api.ReleaseSessionOptions = release<ort::SessionOptions>;
  return api;
}

const ort::Api* get_api(uint32_t version) {
  static const ort::Api api = table();
  return version <= 3 && !asked_to("old") ? &api : nullptr;
}

}  // namespace

extern "C" const ort::ApiBase* OrtGetApiBase() {
  static const ort::ApiBase base{get_api, [] { return "0.9-fake"; }};
  return &base;
}
