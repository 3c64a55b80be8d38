#include "cppgen/report/model_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace cppgen::report {
namespace {

const std::set<std::string_view>& taken_words() {
  static const std::set<std::string_view> words{"alignas",
                                                "alignof",
                                                "and",
                                                "and_eq",
                                                "asm",
                                                "auto",
                                                "bitand",
                                                "bitor",
                                                "bool",
                                                "break",
                                                "case",
                                                "catch",
                                                "char",
                                                "char8_t",
                                                "char16_t",
                                                "char32_t",
                                                "class",
                                                "co_await",
                                                "co_return",
                                                "co_yield",
                                                "compl",
                                                "concept",
                                                "const",
                                                "consteval",
                                                "constexpr",
                                                "constinit",
                                                "const_cast",
                                                "continue",
                                                "decltype",
                                                "default",
                                                "delete",
                                                "do",
                                                "double",
                                                "dynamic_cast",
                                                "else",
                                                "enum",
                                                "explicit",
                                                "export",
                                                "extern",
                                                "false",
                                                "float",
                                                "for",
                                                "friend",
                                                "goto",
                                                "if",
                                                "inline",
                                                "int",
                                                "long",
                                                "mutable",
                                                "namespace",
                                                "new",
                                                "noexcept",
                                                "not",
                                                "not_eq",
                                                "nullptr",
                                                "operator",
                                                "or",
                                                "or_eq",
                                                "private",
                                                "protected",
                                                "public",
                                                "register",
                                                "reinterpret_cast",
                                                "restrict",
                                                "requires",
                                                "return",
                                                "short",
                                                "signed",
                                                "sizeof",
                                                "static",
                                                "static_assert",
                                                "static_cast",
                                                "struct",
                                                "switch",
                                                "template",
                                                "this",
                                                "thread_local",
                                                "throw",
                                                "true",
                                                "try",
                                                "typedef",
                                                "typeid",
                                                "typename",
                                                "union",
                                                "unsigned",
                                                "using",
                                                "virtual",
                                                "void",
                                                "volatile",
                                                "wchar_t",
                                                "while",
                                                "xor",
                                                "xor_eq",
                                                "cppgen",
                                                "std"};
  return words;
}

}  // namespace

std::string identifier_of(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) && c > 0 ? c : '_';
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == '_' && b == '_'; }), text.end());
  if (text.empty() || text[0] == '_' || std::isdigit(static_cast<unsigned char>(text[0]))) text = "t" + text;
  return taken_words().count(text) ? text + "_" : text;
}

std::vector<std::string> unique_identifiers(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    std::string word = identifier_of(name);
    for (int i = 2; !taken.insert(word).second; i++) word = fmt::format("{}_{}", identifier_of(name), i);
    all.push_back(std::move(word));
  }
  return all;
}

std::string_view c_type(DType type) {
  if (type == DType::f32) return "float";
  if (type == DType::f64) return "double";
  if (type == DType::boolean) return "bool";
  const bool is_signed = is_signed_int(type);
  switch (size_of(type)) {
    case 1:
      return is_signed ? "int8_t" : "uint8_t";
    case 2:
      return is_signed ? "int16_t" : "uint16_t";
    case 4:
      return is_signed ? "int32_t" : "uint32_t";
    default:
      return is_signed ? "int64_t" : "uint64_t";
  }
}

std::string c_literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?')
      result += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace cppgen::report
