#include "cppgen/support/text_writer.h"

#include "runtime/base/errors.h"

namespace cppgen {

void TextWriter::text_line(std::string_view text) {
  for (;;) {
    const size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    if (!one.empty()) text_.append(2 * static_cast<size_t>(level_), ' ').append(one);
    text_ += '\n';
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void TextWriter::open_text(std::string_view head) {
  std::string text(head);
  text += text.empty() ? "{" : " {";
  text_line(text);
  indent();
}

void TextWriter::close(std::string_view tail) {
  dedent();
  text_line(tail);
}

void TextWriter::dedent() {
  check(level_ > 0, "TextWriter: close without open");
  --level_;
}

void TextWriter::comment(std::string_view text) { text_line("// " + escape_for_comment(text)); }

std::string TextWriter::take() {
  check(level_ == 0, "TextWriter: a block is still open");
  return std::move(text_);
}

std::string escape_for_comment(std::string_view text, size_t max_chars) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= max_chars) return out + "...";
    // A trailing backslash would continue the comment; ?? could start a trigraph of one.
    if (c < 0x20 || c > 0x7e || c == '\\') {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (c == '?' && !out.empty() && out.back() == '?') {
      out += "\\x3f";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace cppgen
