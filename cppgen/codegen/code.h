#pragma once
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen::codegen {

// A piece of C++, and the names of its kernel that it uses: parameters, and values that are declared once. What is made
// of pieces by code() uses what they use, so that nobody searches for names in text.
class Code {
 public:
  Code() = default;
  // Text that uses no such name.
  Code(std::string text) : text_(std::move(text)) {}
  Code(const char* text) : text_(text) {}
  static Code name(std::string name) {
    Code code(name);
    code.uses_.insert(std::move(name));
    return code;
  }

  const std::string& text() const { return text_; }
  const std::set<std::string>& uses() const { return uses_; }
  bool empty() const { return text_.empty(); }
  Code& operator+=(const Code& more) {
    text_ += more.text_;
    uses_.insert(more.uses_.begin(), more.uses_.end());
    return *this;
  }
  Code& using_names_of(const Code& other) {
    uses_.insert(other.uses_.begin(), other.uses_.end());
    return *this;
  }
  friend Code operator+(Code a, const Code& b) { return a += b; }
  bool operator==(const Code& other) const { return text_ == other.text_; }

 private:
  std::string text_;
  std::set<std::string> uses_;
};

// The runtime that kernels call for elementary functions and tiles, and the number by which ids of checks are shifted.
inline const Code kRuntime = Code::name("rt"), kFirstCheck = Code::name("check0");

template <class T>
void note_names(Code&, const T&) {}
inline void note_names(Code& code, const Code& piece) { code.using_names_of(piece); }

// fmt::format of text, numbers and pieces of code.
template <class... Args>
Code code(fmt::format_string<const Args&...> format, const Args&... args) {
  Code result(fmt::format(format, args...));
  (note_names(result, args), ...);
  return result;
}

}  // namespace cppgen::codegen

template <>
struct fmt::formatter<cppgen::codegen::Code> : fmt::formatter<std::string_view> {
  auto format(const cppgen::codegen::Code& c, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(c.text(), context);
  }
};

namespace cppgen::codegen {

// Products and sums of what needs no parentheses as their operand. Nothing is multiplied by 1, nothing is added to 0.
inline Code times(const Code& a, int64_t number) {
  if (number == 0 || a == "0") return "0";
  return number == 1 ? a : code("{} * {}", a, number);
}

inline Code times(const Code& a, const Code& b) {
  if (a == "0" || b == "0") return "0";
  return b == "1" ? a : code("{} * {}", a, b);
}

inline Code sum(const Code& a, const Code& b) {
  const std::string& text = b.text();
  if (a == "0") return b;
  if (text == "0") return a;
  if (text[0] != '-') return code("{} + {}", a, b);
  return Code(fmt::format("{} - {}", a, text.substr(1))).using_names_of(a).using_names_of(b);
}

// Functions as expressions: by the value that they give, or by the statement that they run.
inline Code function(const Code& parameters, const Code& value, const Code& type = {}) {
  return code("[&]({}) CPPGEN_LAMBDA {}{{ return {}; }}", parameters, type.empty() ? Code() : code("-> {} ", type),
              value);
}
inline Code action(const Code& parameters, const Code& statement) {
  return code("[&]({}) CPPGEN_LAMBDA {{ {} }}", parameters, statement);
}

// The condition that all of these hold; empty if there are none.
inline Code all_of(const std::vector<Code>& conditions) {
  Code all;
  for (const Code& c : conditions) all += all.empty() ? c : " && " + c;
  return all;
}

// A name or a number.
inline bool is_simple(const Code& a) {
  return a.text().find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
         std::string::npos;
}
// As an operand of a product or a quotient.
inline Code operand(const Code& a) { return is_simple(a) ? a : code("({})", a); }

}  // namespace cppgen::codegen
