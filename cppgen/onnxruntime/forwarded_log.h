#pragma once
#include <set>
#include <string>

#include "cppgen/onnxruntime/ort_call.h"

namespace cppgen::ep {

// Messages of cppgen's libraries go to a log of ONNX Runtime, each once, as long as this object lives; before and
// afterwards to stderr. They are those of the whole process.
class ForwardedLog {
 public:
  // A null logger: nothing changes.
  ForwardedLog(const ort::Api& api, const ort::Logger* logger);
  ~ForwardedLog();
  ForwardedLog(const ForwardedLog&) = delete;

 private:
  static void receive(void* context, int severity, const char* message);

  const ort::Api& api_;
  const ort::Logger* logger_;
  std::set<std::string> seen_;
};

}  // namespace cppgen::ep
