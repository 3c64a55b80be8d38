// Without the networks' folder the program is skipped (exit code 77), but in CI (CI=true) that is a failure.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!std::filesystem::exists(std::string(CPPGEN_MODELS_DIR) + "/squeezenet1_1.weights")) {
    std::printf("CPPGEN_MODELS_DIR (\"%s\") has no networks with weights\n", CPPGEN_MODELS_DIR);
    const char* ci = std::getenv("CI");
    return ci && std::string_view(ci) == "true" ? 1 : 77;
  }
  return RUN_ALL_TESTS();
}
