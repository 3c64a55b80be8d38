#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace cppgen {

// Writes indented text (emitted C++, listings) line by line, two blanks per level. The same calls give the same text.
class TextWriter {
 public:
  // One line; `format` as in fmt::format. Lines of text that already contain braces go through text_line.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_line(fmt::format(format, std::forward<Args>(args)...));
  }
  void line() { text_ += '\n'; }

  // `text` unchanged; an empty line has no trailing blanks. Embedded newlines start lines at the same level.
  void text_line(std::string_view text);

  // "head {" and one level deeper, until the matching close().
  template <class... Args>
  void open(fmt::format_string<Args...> format, Args&&... args) {
    open_text(fmt::format(format, std::forward<Args>(args)...));
  }
  void open_text(std::string_view head);
  // Closes one level, then writes `tail` ("}", "};", "} else {" is close("} else {") followed by indent()).
  void close(std::string_view tail = "}");

  void indent() { ++level_; }
  void dedent();

  // "// text", safe for any bytes: control characters, backslashes and non-ASCII bytes are escaped, so that text taken
  // from a model can neither end the comment nor continue it on the next line.
  void comment(std::string_view text);

  int level() const { return level_; }
  const std::string& str() const { return text_; }
  // The text; InternalError if a block is still open.
  std::string take();

 private:
  std::string text_;
  int level_ = 0;
};

// `text` with everything outside printable ASCII, and backslashes, as \xNN, truncated to `max_chars` (then ending in
// "...").
std::string escape_for_comment(std::string_view text, size_t max_chars = 200);

}  // namespace cppgen
