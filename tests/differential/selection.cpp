#include "tests/differential/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace cppgen::differential {
namespace {

// False if the program does not take the option.
bool select(std::string_view option, const char* value) {
  const auto& all = selecting_options;
  if (std::find(all.begin(), all.end(), option) == all.end()) return false;
  if (option == "--turn") selection.turn = std::strtoull(value, nullptr, 10);
  if (option == "--share") selection.share = std::strtoull(value, nullptr, 10);
  if (option == "--only") selection.only = value, selection.share = 1;
  if (option == "--case") selection.only_case = std::atoi(value);
  if (option == "--print") selection.print = std::atoi(value) != 0;
  return true;
}

}  // namespace
}  // namespace cppgen::differential

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* turn = std::getenv("TEST_TURN")) cppgen::differential::select("--turn", turn);
  for (int i = 1; i < argc; i += 2)
    if (i + 1 == argc || !cppgen::differential::select(argv[i], argv[i + 1]))
      return std::fprintf(stderr, "unknown option %s, or its value is missing\n", argv[i]), 2;
  if (cppgen::differential::selection.turn) std::printf("--turn %zu\n", cppgen::differential::selection.turn);
  return RUN_ALL_TESTS();
}
