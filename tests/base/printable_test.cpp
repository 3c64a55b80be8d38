#include "runtime/base/printable.h"

#include <gtest/gtest.h>

namespace cppgen {
namespace {

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(one_line("red \x1b[31m and\na line\t\x7f"), "red \\x1b[31m and\\x0aa line\\x09\\x7f");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "\\x9b31m");  // a control sequence's beginning in one character
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(for_terminal("two\nlines\tof \x1b[2J\r"), "two\nlines\tof \\x1b[2J\\x0d");
}

TEST(Printable, LettersStay) {
  for (const char* text : {"conv_1/weight:0", "Größe", "卷积", "свёртка", "\xc2\xa0", "\xc2", ""})
    EXPECT_EQ(one_line(text), text);
}

}  // namespace
}  // namespace cppgen
