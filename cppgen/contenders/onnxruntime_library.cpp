#include "cppgen/contenders/onnxruntime_library.h"

#include <dlfcn.h>

#include "runtime/base/errors.h"

namespace cppgen::contenders {
namespace {

constexpr const char* kUsualNames[] = {"libonnxruntime.so", "libonnxruntime.so.1"};
constexpr const char* kHowToGet =
    "its releases at https://github.com/microsoft/onnxruntime/releases have lib/libonnxruntime.so "
    "(onnxruntime-linux-x64), "
    "and `npm install onnxruntime-node` and `pip download onnxruntime` contain it; give its path with --onnxruntime";

void* open_library(const std::string& path) {
  if (!path.empty()) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) user_error("ONNX Runtime cannot be loaded: {}; {}", dlerror(), kHowToGet);
    return handle;
  }
  for (const char* name : kUsualNames)
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  user_error("ONNX Runtime's library {} is not among this system's libraries: {}", kUsualNames[0], kHowToGet);
}

}  // namespace

std::shared_ptr<const OnnxRuntime> OnnxRuntime::load(const std::string& path) {
  void* handle = open_library(path);
  const std::string name = path.empty() ? kUsualNames[0] : path;
  const auto get_base = reinterpret_cast<ort::GetApiBase>(dlsym(handle, "OrtGetApiBase"));
  const ort::ApiBase* base = get_base ? get_base() : nullptr;
  if (!base) user_error("{} is not ONNX Runtime: it has no OrtGetApiBase", name);
  auto library = std::make_shared<OnnxRuntime>();
  library->version_ = base->GetVersionString();
  library->api_ = base->GetApi(ort::kApiVersion);
  if (!library->api_)
    user_error("{} is ONNX Runtime {}, which is too old: it does not have version {} of the interface; {}", name,
               library->version_, ort::kApiVersion, kHowToGet);
  return library;
}

void OnnxRuntime::check(ort::Status* status, std::string_view what) const {
  if (!status) return;
  const std::string message = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  user_error("ONNX Runtime {}: {}: {}", version_, what, message);
}

}  // namespace cppgen::contenders
