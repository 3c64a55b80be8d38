#pragma once
#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cppgen::codegen {

// A piece of C++ with facts about it, so that text is never parsed: the names that it uses (parameters of the kernel
// and values that are declared once), and its value if it is an integer, `true` or `false`. The result of code() uses
// the names of its pieces.
class Code {
 public:
  Code() = default;
  // Text that uses none of these names.
  Code(std::string text) : text_(std::move(text)) {}
  Code(const char* text) : text_(text) {}
  template <std::integral T>
  Code(T value) {
    if constexpr (std::same_as<T, bool>)
      text_ = value ? "true" : "false", truth_ = value;
    else
      text_ = std::to_string(value), number_ = int64_t(value), negative_ = value < 0;
  }
  static Code name(std::string name) {
    Code code(name);
    code.uses_.insert(std::move(name));
    return code;
  }

  const std::string& text() const { return text_; }
  const std::set<std::string>& uses() const { return uses_; }
  bool empty() const { return text_.empty(); }
  std::optional<int64_t> number() const { return number_; }
  std::optional<bool> truth() const { return truth_; }
  bool is_number(int64_t n) const { return number_ == n; }
  bool is_negative() const { return negative_; }  // a number or a sum that begins with a minus sign
  Code& operator+=(const Code& more) {
    if (empty()) return *this = more;
    text_ += more.text_;
    number_.reset(), truth_.reset();
    return using_names_of(more);
  }
  Code& using_names_of(const Code& other) {
    uses_.insert(other.uses_.begin(), other.uses_.end());
    return *this;
  }
  friend Code operator+(Code a, const Code& b) { return a += b; }
  // -a, where `a` needs no parentheses.
  friend Code negated(const Code& a) {
    Code code = "-" + a;
    code.negative_ = true;
    return code;
  }
  bool operator==(const Code& other) const { return text_ == other.text_; }

 private:
  std::string text_;
  std::set<std::string> uses_;
  std::optional<int64_t> number_;
  std::optional<bool> truth_;
  bool negative_ = false;
};

// The runtime that kernels call for elementary functions and tiles, and the id of the kernel's first check.
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

// Products and sums of operands that need no parentheses. Factors of 1 and terms of 0 are omitted.
inline Code times(const Code& a, const Code& b) {
  if (a.is_number(0) || b.is_number(0)) return 0;
  return b.is_number(1) ? a : code("{} * {}", a, b);
}

inline Code sum(const Code& a, const Code& b) {
  if (a.is_number(0)) return b;
  if (b.is_number(0)) return a;
  if (!b.is_negative()) return code("{} + {}", a, b);
  return Code(fmt::format("{} - {}", a, b.text().substr(1))).using_names_of(a).using_names_of(b);
}

// Lambda expressions: one that returns a value, and one that executes a statement.
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
// Puts it in parentheses if it needs them as an operand of a product or a quotient.
inline Code operand(const Code& a) { return is_simple(a) ? a : code("({})", a); }

}  // namespace cppgen::codegen
