#include "runtime/session/verify.h"

namespace cppgen::rt {

VerifyReport verify(Session& session, const TestCase& test, const Tolerance& tolerance) {
  std::vector<TensorView> inputs;
  for (const Tensor& input : test.inputs) inputs.push_back(input.view());
  const std::vector<Tensor> outputs = session.run(inputs);
  return compare_outputs(test.outputs, outputs, tolerance);
}

}  // namespace cppgen::rt
