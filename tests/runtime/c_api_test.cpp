#include <gtest/gtest.h>

#include "tests/runtime/test_package.h"

extern "C" int check_c_api(const char* package);

namespace cppgen::rt::test {

TEST(CApi, WorksFromC) {
  TempDirectory directory;
  write_package(directory.path(), two_step_plan(), kTwoStepSource, kTwoStepWeights);
  EXPECT_EQ(check_c_api(directory.path().c_str()), 0) << "line of c_api_check.c";
}

}  // namespace cppgen::rt::test
