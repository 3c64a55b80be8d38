// docs/operators.md is generated. After a change of operators or their samples update it:
//   UPDATE_DOCS=1 build/release/bin/test_docs
#include "tests/docs/operators_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace cppgen::docs {
namespace {

constexpr const char* kPath = CPPGEN_SOURCE_DIR "/docs/operators.md";

TEST(Docs, OperatorsPageIsUpToDate) {
  const std::string expected = operators_page();
  if (std::getenv("UPDATE_DOCS")) std::ofstream(kPath, std::ios::binary) << expected;
  std::ostringstream text;
  text << std::ifstream(kPath, std::ios::binary).rdbuf();
  std::istringstream written(text.str()), wanted(expected);
  std::string a, b;
  while (std::getline(wanted, b)) {
    std::getline(written, a);
    EXPECT_EQ(a, b) << "update it: UPDATE_DOCS=1 build/release/bin/test_docs";
  }
  EXPECT_EQ(text.str().size(), expected.size());
  EXPECT_EQ(expected.find("NOTHING"), std::string::npos) << "a row of rows_refused.cpp is out of date";
}

}  // namespace
}  // namespace cppgen::docs
