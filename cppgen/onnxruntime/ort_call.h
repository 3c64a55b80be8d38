#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "cppgen/onnxruntime/ort_abi.h"

// Calls in both directions: a status of ONNX Runtime becomes an exception here, and an exception of ours a status
// there.
namespace cppgen::ep {

// An error of ONNX Runtime, or one that it is told about.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, ort::ErrorCode code = ort::kEpFail)
      : std::runtime_error(message), code_(code) {}
  ort::ErrorCode code() const { return code_; }

 private:
  ort::ErrorCode code_;
};

// Throws a Failure with the message of a status that is not null, and releases the status.
void require(const ort::Api& api, ort::Status* status);

// The status of the exception that is being handled.
ort::Status* caught_status(const ort::Api& api) noexcept;

// Runs `body` for ONNX Runtime.
template <class Body>
ort::Status* guarded(const ort::Api& api, const Body& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return caught_status(api);
  }
}

// The members of an object that ONNX Runtime counts and lists by two functions.
template <class Member, class Object>
std::vector<Member> members(const ort::Api& api, ort::Status* (*count_of)(const Object*, size_t*),
                            ort::Status* (*list)(const Object*, Member*, size_t), const Object* object) {
  size_t count = 0;
  require(api, count_of(object, &count));
  std::vector<Member> found(count);
  if (count > 0) require(api, list(object, found.data(), count));
  return found;
}

// The value that a function returns through its last argument.
template <class Result, class Object>
Result member(const ort::Api& api, ort::Status* (*get)(const Object*, Result*), const Object* object) {
  Result result{};
  require(api, get(object, &result));
  return result;
}

// Writes a message of this provider to a log of ONNX Runtime.
void log(const ort::Api& api, const ort::Logger* logger, ort::Severity severity, const std::string& message);

}  // namespace cppgen::ep
