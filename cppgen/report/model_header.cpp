#include "cppgen/report/model_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "runtime/base/printable.h"
#include "runtime/base/version.h"
#include "runtime/plan/known_size.h"

namespace cppgen::report {
namespace {

const std::set<std::string_view>& taken_words() {
  static const std::set<std::string_view> words{
      "alignas",     "alignof",  "and",       "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",     "case",      "catch",     "char",         "char8_t",
      "char16_t",    "char32_t", "class",     "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "consteval", "constexpr", "constinit", "const_cast",   "continue",
      "decltype",    "default",  "delete",    "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",    "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",        "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",  "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",   "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",     "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",    "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",   "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",      "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq",      "cppgen",   "std"};
  return words;
}

// How elements of this type are stored.
std::string_view c_type(DType type) {
  if (type == DType::f32) return "float";
  if (type == DType::f64) return "double";
  if (type == DType::boolean) return "bool";
  const bool is_signed = is_signed_int(type);
  switch (size_of(type)) {
    case 1:
      return is_signed ? "std::int8_t" : "std::uint8_t";
    case 2:
      return is_signed ? "std::int16_t" : "std::uint16_t";
    case 4:
      return is_signed ? "std::int32_t" : "std::uint32_t";
    default:
      return is_signed ? "std::int64_t" : "std::uint64_t";
  }
}

std::string_view enumerator_of(DType type) {
  switch (type) {
#define CPPGEN_DTYPE(id, NAME, ...) \
  case DType::id:                   \
    return "CPPGEN_" #NAME;
#include "runtime/base/dtypes.def"
  }
  return "";
}

struct Member {
  std::string name;  // in C++
  const rt::TensorInfo& info;
  std::string type, comment;
  bool is_tensor;
};

std::vector<Member> members(const std::vector<rt::TensorInfo>& infos, const rt::Plan& plan, bool is_input) {
  std::vector<Member> all;
  std::set<std::string> taken;
  for (const rt::TensorInfo& info : infos) {
    Member member{identifier_of(info.name), info, "cppgen::Value", "", info.kind == ValueKind::tensor};
    for (int i = 2; !taken.insert(member.name).second; i++)
      member.name = fmt::format("{}_{}", identifier_of(info.name), i);
    std::vector<std::string> dims;
    for (const rt::DimExpr& dim : info.dims) dims.push_back(one_line(rt::dim_text(dim, plan.symbols)));
    member.comment = fmt::format("{} [{}]", one_line(info.name), fmt::join(dims, ", "));
    if (member.is_tensor) {
      member.type =
          fmt::format("cppgen::Shaped<{}, {}{}", enumerator_of(info.type), is_input ? "const " : "", c_type(info.type));
      for (const rt::DimExpr& dim : info.dims) member.type += fmt::format(", {}", rt::known_size(dim));
      member.type += ">";
    }
    all.push_back(std::move(member));
  }
  return all;
}

bool all_tensors(const std::vector<Member>& list) {
  return std::all_of(list.begin(), list.end(), [](const Member& member) { return member.is_tensor; });
}

std::string struct_text(std::string_view name, const std::vector<Member>& list) {
  std::string text = fmt::format("  struct {} {{\n", name);
  for (const Member& member : list)
    text += fmt::format("    // {}\n    {} {};\n", member.comment, member.type, member.name);
  return text + "  };\n";
}

// "inputs.x.tensor(), inputs.y.tensor()".
std::string arguments(std::string_view from, const std::vector<Member>& list, std::string_view suffix) {
  std::string text;
  for (const Member& member : list)
    text += fmt::format("{}{}.{}{}", text.empty() ? "" : ", ", from, member.name, suffix);
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + "\"";
}

std::string_view kind_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::tensor:
    case ValueKind::strings:
      return "CPPGEN_TENSOR";
    case ValueKind::sequence:
      return "CPPGEN_SEQUENCE";
    case ValueKind::optional:
      return "CPPGEN_OPTIONAL";
    case ValueKind::optional_sequence:
      return "CPPGEN_OPTIONAL_SEQUENCE";
  }
  return "";
}

// {{"x", CPPGEN_TENSOR, CPPGEN_FLOAT32, {-1, 4}}}.
std::string expected_text(const std::vector<Member>& list) {
  std::string text;
  for (const Member& member : list) {
    std::vector<int64_t> dims;
    for (const rt::DimExpr& dim : member.info.dims) dims.push_back(rt::known_size(dim));
    text += fmt::format("{}{{{}, {}, {}, {{{}}}}}", text.empty() ? "" : ", ", quoted(member.info.name),
                        kind_of(member.info.kind),
                        member.info.kind == ValueKind::strings ? "CPPGEN_STRING" : enumerator_of(member.info.type),
                        fmt::join(dims, ", "));
  }
  return "{" + text + "}";
}

// Tensors where all are; otherwise values.
std::string list_of_inputs(const std::vector<Member>& inputs) {
  if (all_tensors(inputs)) return "std::vector<cppgen::Tensor>{" + arguments("inputs", inputs, ".tensor()") + "}";
  std::string values;
  for (const Member& member : inputs)
    values += fmt::format(
        "{}{}", values.empty() ? "" : ", ",
        member.is_tensor ? fmt::format("cppgen::Value(inputs.{}.tensor())", member.name) : "inputs." + member.name);
  return "std::vector<cppgen::Value>{" + values + "}";
}

}  // namespace

std::string identifier_of(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) && c > 0 ? c : '_';
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == '_' && b == '_'; }), text.end());
  if (text.empty() || text[0] == '_' || std::isdigit(static_cast<unsigned char>(text[0]))) text = "t" + text;
  return taken_words().count(text) ? text + "_" : text;
}

std::string model_header(const std::string& name, const rt::Plan& plan, const std::string& package) {
  const std::vector<Member> inputs = members(plan.inputs, plan, true), outputs = members(plan.outputs, plan, false);
  std::string text = fmt::format("// The model '{}', written by cppgen {}: it changes with the model.\n",
                                 one_line(plan.model), rt::kVersion);
  text += "#pragma once\n#include <cstdint>\n#include <string>\n\n#include \"cppgen.hpp\"\n\n";
  text += fmt::format("struct {} {{\n", name) + struct_text("Inputs", inputs);
  const bool has_outputs = all_tensors(inputs) && all_tensors(outputs);
  if (has_outputs) text += struct_text("Outputs", outputs);
  text += fmt::format("  static constexpr const char* kPackage = {};\n\n", quoted(package));
  text += "  // cppgen::Error if the package cannot be loaded, or is one of another model.\n";
  text += fmt::format(
      "  explicit {}(const std::string& package = kPackage, const cppgen_options& options = cppgen::Options())\n"
      "      : session(package, options) {{\n"
      "    cppgen::require_tensors(session.inputs(), {});\n"
      "    cppgen::require_tensors(session.outputs(), {});\n  }}\n\n",
      name, expected_text(inputs), expected_text(outputs));
  if (has_outputs)
    text += fmt::format(
        "  // Writes the results to the memory of `outputs`.\n"
        "  void run([[maybe_unused]] const Inputs& inputs, [[maybe_unused]] const Outputs& outputs, const "
        "cppgen::Cancel* cancel = nullptr) {{\n"
        "    session.run({{{}}}, {{{}}}, cancel);\n  }}\n",
        arguments("inputs", inputs, ".tensor()"), arguments("outputs", outputs, ".tensor()"));
  text += fmt::format(
      "  // Returns the results, of whatever size they are, in the order of the model's outputs.\n"
      "  cppgen::Results run([[maybe_unused]] const Inputs& inputs) {{\n    return session.run({});\n  }}\n\n",
      list_of_inputs(inputs));
  return text + "  cppgen::Session session;\n};\n";
}

}  // namespace cppgen::report
