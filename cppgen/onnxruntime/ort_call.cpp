#include "cppgen/onnxruntime/ort_call.h"

#include <exception>

namespace cppgen::ep {

void require(const ort::Api& api, ort::Status* status) {
  if (!status) return;
  const std::string message = api.GetErrorMessage(status);
  api.ReleaseStatus(status);
  throw Failure(message);
}

ort::Status* caught_status(const ort::Api& api) noexcept {
  try {
    throw;
  } catch (const Failure& failure) {
    return api.CreateStatus(failure.code(), failure.what());
  } catch (const std::exception& error) {
    return api.CreateStatus(ort::kEpFail, error.what());
  } catch (...) {
    return api.CreateStatus(ort::kEpFail, "cppgen: an unknown error");
  }
}

void log(const ort::Api& api, const ort::Logger* logger, ort::Severity severity, const std::string& message) {
  if (!logger) return;
  if (ort::Status* status = api.Logger_LogMessage(logger, severity, message.c_str(), "cppgen", 0, "cppgen"))
    api.ReleaseStatus(status);  // a message is never the reason of a failure
}

}  // namespace cppgen::ep
