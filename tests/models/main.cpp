// Without the networks' folder the program is skipped, but in CI that is a failure.
#include <cstdio>
#include <string>

#include "tests/needed_data.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!std::filesystem::exists(std::string(CPPGEN_MODELS_DIR) + "/squeezenet1_1.weights")) {
    std::printf("CPPGEN_MODELS_DIR (\"%s\") has no networks with weights\n", CPPGEN_MODELS_DIR);
    return cppgen::status_without_data();
  }
  return RUN_ALL_TESTS();
}
