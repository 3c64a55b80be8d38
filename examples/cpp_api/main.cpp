// Runs a compiled model on random inputs and prints its outputs' shapes and first values.
//
//   run_model PACKAGE [NAME=VALUE ...]      values of the model's symbolic dimensions
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "runtime/base/errors.h"
#include "runtime/session/session.h"
#include "runtime/values/random_inputs.h"

using namespace cppgen;

int main(int argc, char** argv) try {
  if (argc < 2) user_error("usage: {} PACKAGE [NAME=VALUE ...]", argv[0]);
  std::map<std::string, int64_t> dims;
  for (int i = 2; i < argc; i++) {
    const std::string text = argv[i];
    const size_t at = text.find('=');
    if (at == text.npos) user_error("'{}': expected NAME=VALUE", text);
    dims[text.substr(0, at)] = std::atoll(text.c_str() + at + 1);
  }

  // An executable may be shared by many sessions; a session by many threads. CPPGEN_THREADS and the like count.
  rt::Session session(rt::Executable::load(argv[1]), rt::SessionOptions::from_environment());
  const std::vector<rt::Tensor> inputs = rt::random_inputs(session.plan(), dims, /*seed=*/0);
  std::vector<rt::TensorView> views;
  for (const rt::Tensor& input : inputs) views.push_back(input.view());
  const std::vector<rt::Tensor> outputs = session.run(views);

  for (size_t i = 0; i < outputs.size(); i++) {
    std::printf("%s %s", session.plan().outputs[i].name.c_str(), rt::shape_text(outputs[i].dims()).c_str());
    if (outputs[i].type() == DType::f32 && outputs[i].elements() > 0)
      std::printf(": %g ...", outputs[i].as<float>()[0]);
    std::printf("\n");
  }
  const rt::SessionStats stats = session.stats();
  std::printf("%zu steps on %d threads, %lld bytes of intermediate memory\n", stats.steps, stats.threads,
              static_cast<long long>(stats.arena_bytes));
  return 0;
} catch (const UserError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
