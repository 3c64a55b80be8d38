#include "cppgen/support/text_writer.h"

#include <gtest/gtest.h>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

TEST(TextWriter, IndentsBlocks) {
  TextWriter w;
  w.open("for (long i = {}; i < {}; ++i)", 0, 8);
  w.line("a[{}] = 1;", "i");
  w.line();
  w.text_line("if (x) {\n}");
  w.close();
  w.open_text("struct S");
  w.close("};");
  EXPECT_EQ(w.take(),
            "for (long i = 0; i < 8; ++i) {\n"
            "  a[i] = 1;\n"
            "\n"
            "  if (x) {\n"
            "  }\n"
            "}\n"
            "struct S {\n"
            "};\n");
}

TEST(TextWriter, UnbalancedBlocksAreBugs) {
  TextWriter open;
  open.open("x");
  EXPECT_THROW(open.take(), InternalError);
  TextWriter closed;
  EXPECT_THROW(closed.close(), InternalError);
}

TEST(TextWriter, CommentsCannotEscape) {
  TextWriter w;
  w.comment("a\nb\\");
  w.comment("\xc3\xa4 ?\?/");
  EXPECT_EQ(w.str(), "// a\\x0ab\\x5c\n// \\xc3\\xa4 ?\\x3f/\n");
  EXPECT_EQ(escape_for_comment("abcdef", 3), "abc...");
}

}  // namespace
}  // namespace cppgen
