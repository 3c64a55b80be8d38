#pragma once
#include <memory>
#include <string>

#include "cppgen/contenders/onnxruntime_api.h"

namespace cppgen::contenders {

// ONNX Runtime's shared library.
class OnnxRuntime {
 public:
  // Loads `path`, or if it is empty the library of a usual name. UserError that says how to get it if there is none,
  // and for a file that is not this library or too old a version. It stays loaded until the process ends.
  static std::shared_ptr<const OnnxRuntime> load(const std::string& path);

  const ort::Api& api() const { return *api_; }
  const std::string& version() const { return version_; }  // "1.8.1"

  // Throws UserError with the library's message unless the status is success, and releases it. `what` was attempted.
  void check(ort::Status* status, std::string_view what) const;

 private:
  const ort::Api* api_ = nullptr;
  std::string version_;
};

}  // namespace cppgen::contenders
