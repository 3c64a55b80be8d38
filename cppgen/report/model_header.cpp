#include "cppgen/report/model_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cppgen/report/model_names.h"
#include "runtime/base/printable.h"
#include "runtime/base/version.h"
#include "runtime/plan/known_size.h"

namespace cppgen::report {
namespace {

std::string std_type(DType type) {
  const std::string text(c_type(type));
  return text.ends_with("_t") ? "std::" + text : text;
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
  std::vector<std::string> names;
  for (const rt::TensorInfo& info : infos) names.push_back(info.name);
  names = unique_identifiers(names);
  for (const rt::TensorInfo& info : infos) {
    Member member{names[all.size()], info, "cppgen::Value", "", info.kind == ValueKind::tensor};
    std::vector<std::string> dims;
    for (const rt::DimExpr& dim : info.dims) dims.push_back(one_line(rt::dim_text(dim, plan.symbols)));
    member.comment = fmt::format("{} [{}]", one_line(info.name), fmt::join(dims, ", "));
    if (member.is_tensor) {
      member.type = fmt::format("cppgen::Shaped<{}, {}{}", enumerator_of(info.type), is_input ? "const " : "",
                                std_type(info.type));
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
    text += fmt::format("{}{{{}, {}, {}, {{{}}}}}", text.empty() ? "" : ", ", c_literal(member.info.name),
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

std::string model_header(const std::string& name, const rt::Plan& plan, const std::string& package) {
  const std::vector<Member> inputs = members(plan.inputs, plan, true), outputs = members(plan.outputs, plan, false);
  std::string text = fmt::format("// The model '{}', written by cppgen {}: it changes with the model.\n",
                                 one_line(plan.model), rt::kVersion);
  text += "#pragma once\n#include <cstdint>\n#include <string>\n\n#include \"cppgen.hpp\"\n\n";
  text += fmt::format("struct {} {{\n", name) + struct_text("Inputs", inputs);
  const bool has_outputs = all_tensors(inputs) && all_tensors(outputs);
  if (has_outputs) text += struct_text("Outputs", outputs);
  text += fmt::format("  static constexpr const char* kPackage = {};\n\n", c_literal(package));
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
