#include "cppgen/onnxruntime/forwarded_log.h"

#include "cppgen_compiler.h"

namespace cppgen::ep {

ForwardedLog::ForwardedLog(const ort::Api& api, const ort::Logger* logger) : api_(api), logger_(logger) {
  if (!logger_) return;
  cppgen_set_log(receive, this);
  cppgen_compiler_set_log(receive, this);
}

ForwardedLog::~ForwardedLog() {
  if (!logger_) return;
  cppgen_set_log(nullptr, nullptr);
  cppgen_compiler_set_log(nullptr, nullptr);
}

// The severities of both sides have the same numbers.
void ForwardedLog::receive(void* context, int severity, const char* message) {
  auto& it = *static_cast<ForwardedLog*>(context);
  if (it.seen_.insert(message).second)
    log(it.api_, it.logger_, ort::Severity(severity), std::string("cppgen: ") + message);
}

}  // namespace cppgen::ep
