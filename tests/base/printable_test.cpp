#include "runtime/base/printable.h"

#include <gtest/gtest.h>

namespace cppgen {
namespace {

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(one_line("red \x1b[31m and\na line\t\x7f"), "red \\x1b[31m and\\x0aa line\\x09\\x7f");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "\\xc2\\x9b31m");  // a control sequence's beginning in one character
  EXPECT_EQ(one_line(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(for_terminal("two\nlines\tof \x1b[2J\r"), "two\nlines\tof \\x1b[2J\\x0d");
}

TEST(Printable, BytesThatAreNoTextAreEscaped) {
  EXPECT_EQ(one_line("\xff"), "\\xff");
  EXPECT_EQ(one_line("a\xc2"), "a\\xc2") << "half a character";
  EXPECT_EQ(one_line("\xc0\x8a"), "\\xc0\\x8a") << "a line break in two bytes";
  EXPECT_EQ(one_line("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");
  EXPECT_EQ(one_line("\xf0\x9f\x99"), "\\xf0\\x9f\\x99");
  EXPECT_EQ(one_line("\xe2\x80\xae"
                     "fdp"),
            "\\xe2\\x80\\xaefdp")
      << "text from right to left";
}

TEST(Printable, LettersStay) {
  for (const char* text : {"conv_1/weight:0", "Größe", "卷积", "свёртка", "\xc2\xa0", "🙂", ""})
    EXPECT_EQ(one_line(text), text);
}

TEST(Printable, NamesAreCutBetweenCharacters) {
  EXPECT_EQ(shortened_line("\xd1\x83\xd0\xb7\xd0\xb5\xd0\xbb", 8), "\xd1\x83\xd0\xb7\xd0\xb5\xd0\xbb");
  EXPECT_EQ(shortened_line("\xd1\x83\xd0\xb7\xd0\xb5\xd0\xbb", 7), "\xd1\x83\xd0\xb7\xd0\xb5...");
  EXPECT_EQ(shortened_line("a\x1b[31m", 2), "a\\x1b...");
}

TEST(Printable, MessagesHideThePasswordsOfAddresses) {
  EXPECT_EQ(for_terminal("'rediss://me:se:c@ret@host:1/2' is refused"), "'rediss://me:***@host:1/2' is refused");
  EXPECT_EQ(for_terminal("--set REMOTE_CACHE=redis://:word@a and redis://word@b"),
            "--set REMOTE_CACHE=redis://:***@a and redis://***@b");
  for (const char* text : {"redis://host:6379/0 and me@host", "https://a/b?c", "redis://[[USER]:PASSWORD@]HOST", "a@b",
                           "://", "redis://host\nme@host"})
    EXPECT_EQ(for_terminal(text), text);
}

}  // namespace
}  // namespace cppgen
