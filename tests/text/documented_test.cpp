// The texts of docs/ir.md are read, and printed as they stand there.
#include <gtest/gtest.h>

#include <fstream>

#include "cppgen/forms/forms.h"
#include "cppgen/graph/graph_text.h"
#include "cppgen/ir/text/program_text.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "cppgen/text/graph_reader.h"
#include "cppgen/text/program_reader.h"
#include "isa/vec_isa.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

std::vector<std::string> blocks(const std::string& language) {
  std::vector<std::string> found;
  std::ifstream page(CPPGEN_SOURCE_DIR "/docs/ir.md");
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```" + language) {
      inside = true;
      found.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

TEST(Documented, Graphs) {
  ASSERT_EQ(blocks("graph").size(), 3u);
  for (const std::string& text : blocks("graph")) EXPECT_EQ(graph_text(text::read_graph(text, "ir.md")), text);
}

TEST(Documented, Programs) {
  ASSERT_EQ(blocks("program").size(), 1u);
  for (const std::string& text : blocks("program"))
    EXPECT_EQ(ir::program_text(text::read_program(text, "ir.md")), text);
}

TEST(Documented, Schedules) {
  ASSERT_EQ(blocks("schedule").size(), 1u);
  for (const std::string& text : blocks("schedule")) {
    const auto read = [&] { return schedule_text::read_schedule(text, "ir.md", forms::plan_text); };
    if (find_isa("avx2"))
      EXPECT_EQ(schedule_text::to_text(read()), text);
    else  // another architecture
      EXPECT_THROW(read(), UserError);
  }
}

}  // namespace
}  // namespace cppgen
