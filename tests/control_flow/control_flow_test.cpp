// Random compositions of shape arithmetic, branches, loops and sequences. The same models for hours:
//   CPPGEN_SEEDS=FIRST:COUNT test_control_flow --gtest_filter='*Seeds*'
#include <cstdlib>
#include <string>

#include "tests/control_flow/random_model.h"

namespace cppgen::modules {
namespace {

TEST(ControlFlow, RandomModelsAreUnderstood) {
  int refused = 0;
  constexpr int kModels = 150;
  for (uint64_t seed = 1; seed <= kModels; seed++)
    refused += try_random_model(seed, /*compiled=*/false) == Outcome::refused;
  // Sizes that must agree in a body only, and the like.
  EXPECT_LE(refused, kModels / 20);
}

// Modules that no session would have loaded, and dimensions that nothing gave.
TEST(ControlFlow, RandomModelsThatOnceFailed) {
  for (uint64_t seed : {41, 1006, 1170, 5018, 5024, 7524, 7770, 109294, 641184})
    try_random_model(seed, /*compiled=*/false);
}

TEST(ControlFlow, KernelsAgreeWithTheInterpreter) {
  for (uint64_t seed = 1; seed <= 6; seed++) try_random_model(seed, /*compiled=*/true);
}

TEST(ControlFlow, Seeds) {
  const char* asked = std::getenv("CPPGEN_SEEDS");
  if (!asked) GTEST_SKIP() << "CPPGEN_SEEDS is not set";
  const std::string text = asked;
  const uint64_t first = std::stoull(text), count = std::stoull(text.substr(text.find(':') + 1));
  const bool compiled = std::getenv("CPPGEN_SEEDS_COMPILED") != nullptr;
  for (uint64_t seed = first; seed < first + count; seed++) try_random_model(seed, compiled);
}

}  // namespace
}  // namespace cppgen::modules
