#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/session/session.h"
#include "runtime/session/session_state.h"
#include "runtime/values/tensor.h"

namespace cppgen {

// Runs a package with states like one without: each run begins with copies of the inputs that the states stand for.
class StateCaller {
 public:
  // All inputs of the model, which must outlive the object. UserError if they do not match.
  StateCaller(rt::Session&, std::span<const rt::TensorView> inputs);

  std::vector<rt::Tensor> run();                     // all outputs of the model
  void run(std::span<const rt::OutputView> others);  // into memory for those that are no states

 private:
  rt::Session& session_;
  std::unique_ptr<rt::SessionState> state_;
  std::vector<rt::TensorView> others_;
  int64_t length_ = 0;
};

}  // namespace cppgen
