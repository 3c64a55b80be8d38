#include "runtime/base/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

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

// The text means the same, and shows what it means.
TEST(Printable, JsonShowsNothingButItsText) {
  const std::string name =
      "a\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa9\xd8\x9c\xc2\x85\x7f\x1b\n\xc3\xa9\xe6\x97\xa5\xf0\x9f\x99\x82";
  const std::string text = json_text(Json{{name, {name}}}, 1);
  const std::string shown = "a\\u202e\\u2066\\u2029\\u061c\\u0085\\u007f\\u001b\\n\xc3\xa9\xe6\x97\xa5\xf0\x9f\x99\x82";
  EXPECT_EQ(text, "{\n \"" + shown + "\": [\n  \"" + shown + "\"\n ]\n}");
  EXPECT_EQ(parse_json(text).at(name).at(0), name);
  EXPECT_EQ(json_text(Json("\xff"), -1), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace cppgen
