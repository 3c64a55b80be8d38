// The examples of docs/custom_operators.md and examples/custom_operator, as their readers would run them.
#include <fstream>
#include <sstream>

#include "tests/custom_ops/fixture.h"

namespace cppgen::custom_test {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(CPPGEN_SOURCE_DIR) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The blocks of this language, in order.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> found;
  const std::string open = "```" + language + "\n";
  for (size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    const size_t end = page.find("```", at);
    found.push_back(page.substr(at, end - at));
    at = end;
  }
  return found;
}

TEST(CustomOperatorsPage, TheLoweringComputesSwish) {
  Custom m;
  m.maker.input("x", {"2"}).output("y");
  m.node("Swish", {"x"}, {"y"});
  const std::string text = blocks(text_of("docs/custom_operators.md"), "json").at(0);
  expect_values(m.run(m.describe(text), {floats({2}, {1, -1})})[0],
                {1 / (1 + std::exp(-1.0f)), -1 / (1 + std::exp(1.0f))});
}

TEST(CustomOperatorsPage, TheFunctionSortsRows) {
  const std::string page = text_of("docs/custom_operators.md");
  Custom m;
  m.maker.input("x", {"N", "3"}).output("y");
  m.node("SortRows", {"x"}, {"y"});
  const std::string source = m.folder.write("sort_rows.c", blocks(page, "c").at(0));
  const std::string library = (m.folder.path / "libsort_rows.so").string();
  const std::string command = std::string(CPPGEN_C_COMPILER) + " -O2 -shared -fPIC -I " + CPPGEN_CUSTOM_HEADERS + " " +
                              source + " -o " + library;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const std::string ops = m.describe(blocks(page, "json").at(1));
  expect_values(m.run(ops, {floats({2, 3}, {3, 1, 2, 9, 8, 7})})[0], {1, 2, 3, 7, 8, 9});
}

TEST(CustomOperatorExample, RunsFromEndToEnd) {
  const std::string command = "sh " + std::string(CPPGEN_SOURCE_DIR) + "/examples/custom_operator/run.sh " +
                              CPPGEN_PROGRAM + " " + CPPGEN_CUSTOM_HEADERS + " > /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace cppgen::custom_test
