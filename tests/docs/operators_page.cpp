#include "tests/docs/operators_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cppgen/ops/op.h"
#include "cppgen/passes/expanded_operators.h"
#include "tests/differential/how_it_runs.h"

namespace cppgen::docs {
namespace {

using differential::HowItRuns;
using Types = std::map<DType, HowItRuns>;

constexpr const char* kIntroduction = R"(# Operators

This page is generated: versions and attributes come from the operator table, everything else from compiling the samples
of `tests/differential`. The test `docs` fails if it is out of date and prints the command that updates it.

- **Versions**: the operator set versions that changed the operator; a later operator set uses the last of them.
- **Types**: the types of the input or output that determines the operator's type, in the latest version. `floats` are
  float32, float64, float16 and bfloat16; `integers` are all signed and unsigned integers of 8 to 64 bits; `float8` are the
  four formats with a sign; `small integers` are int4, uint4, int2 and uint2.
- **Vectors**: `yes` if everything is done with vector instructions (of avx2 and later); otherwise what is done lane by lane
  within the vector loops, because there is no such instruction or because elements are not contiguous. Functions of float64
  are computed by the C library. The column describes the operator's first sample; other shapes and attributes may differ.
  `operator_table`, a program of the tests, lists it by type and instruction set.
- **Not supported**: what is refused, beyond what ONNX forbids.

Tensors of strings are accepted by operators that move elements ({}), by control flow, sequences and optionals, by Cast,
Equal, TfIdfVectorizer and Unique, and by the string operators. Only the last two groups accept string tensors of unknown
rank.

Operators that the compiler replaces by those of this table, among them most of `ai.onnx.ml`, are listed in a second table.
Of the others of `ai.onnx.ml`, ZipMap returns a sequence of two: the keys that all maps share, and the values, one row per
map; Python returns a list of dicts. CastMap and DictVectorizer accept inputs of the model that are maps; other operators
on maps, and maps that are not inputs, are refused. Missing keys of a sparse CastMap yield the string "0.f", as in ONNX
Runtime; a key beyond its end is an error.

)";

const std::pair<const char*, bool (*)(DType)> kTypeGroups[] = {
    {"floats", [](DType t) { return is_float(t) && !is_narrow(t); }},
    {"float8", is_float8},
    {"small integers", is_small_int},
    {"integers", [](DType t) { return is_int(t) && !is_narrow(t); }}};

std::string types_text(std::vector<DType> types) {
  std::vector<std::string> names;
  for (const auto& [name, is_of_group] : kTypeGroups) {
    bool all = true;
    for (int t = 0; t < kDTypeCount; t++)
      all &= !is_of_group(DType(t)) || std::find(types.begin(), types.end(), DType(t)) != types.end();
    if (!all) continue;
    names.emplace_back(name);
    std::erase_if(types, is_of_group);
  }
  for (DType t : types) names.emplace_back(name_of(t));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string vectors_text(const Types& types) {
  std::map<std::string, std::vector<DType>> by_text;
  for (const auto& [type, how] : types) {
    std::string text = how.kind == HowItRuns::folded ? "no code" : fmt::format("{}", fmt::join(how.what, ", "));
    if (how.kind == HowItRuns::library) text = "library: " + text;
    by_text[text].push_back(type);
  }
  if (by_text.size() == 1) return by_text.begin()->first.empty() ? "yes" : by_text.begin()->first;
  std::vector<std::string> parts;
  for (const auto& [text, list] : by_text)
    if (!text.empty())
      parts.push_back(text.ends_with("of " + types_text(list)) ? text : types_text(list) + ": " + text);
  return fmt::format("{}", fmt::join(parts, "; "));
}

// The part of a message after the node's name and operator.
std::string reason_in(const std::string& message) {
  const size_t at = message.find("): ");
  return at == std::string::npos ? message : message.substr(at + 3);
}

std::map<std::string, std::vector<std::string>> restrictions() {
  std::map<std::string, std::vector<std::string>> all;
  for (const differential::Row& row : differential::refused_rows()) {
    differential::Sample s = differential::parse(row, row.cases, DType::f32);
    const std::string refused = differential::refusal(s);
    all[full_name(row)].push_back(refused.empty() ? "NOTHING: this sample is taken: " + row.cases : reason_in(refused));
  }
  return all;
}

// "axis int, keepdims int"
std::string attributes_text(const std::vector<ops::Version>& versions) {
  std::vector<std::string> parts;
  for (const auto& [name, type] : ops::attributes_at(versions, versions.back().since))
    parts.push_back(fmt::format("{} {}", name, ops::word_of(type)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string full_name(std::string_view domain, std::string_view name) {
  return fmt::format("{}{}{}", domain, domain.empty() ? "" : ".", name);
}

std::string replaced_operators() {
  std::string table = "\n## Replaced operators\n\n| operator | versions |\n|---|---|\n";
  for (const passes::ExpandedOperator& op : passes::expanded_operators()) {
    std::vector<int> since;
    for (const ops::Version& version : *op.versions) since.push_back(version.since);
    table += fmt::format("| {} | {} |\n", full_name(op.domain, op.name), fmt::join(since, ", "));
  }
  return table;
}

// "Concat, Expand": the operators whose rows say that their kernels take strings.
std::string operators_on_strings() {
  std::set<std::string_view> names;
  for (const ops::Op& op : ops::table())
    if (ops::takes_strings(op.elements)) names.insert(op.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The attributes of each operator as a model writes it.
std::string attributes() {
  std::map<std::string, std::string> rows;
  for (const ops::Op& op : ops::table())
    if (op.domain != "cppgen") rows[full_name(op.domain, op.name)] = attributes_text(op.versions);
  for (const passes::ExpandedOperator& op : passes::expanded_operators())
    rows[full_name(op.domain, op.name)] = attributes_text(*op.versions);
  std::string table =
      "\n## Attributes\n\nThe attributes of the latest version.\n\n| operator | attributes |\n|---|---|\n";
  for (const auto& [name, text] : rows)
    if (!text.empty()) table += fmt::format("| {} | {} |\n", name, text);
  return table;
}

}  // namespace

std::string operators_page() {
  std::map<std::string, std::vector<int>> versions;
  for (const ops::Op& op : ops::table())
    for (const ops::Version& version : op.versions) versions[full_name(op.domain, op.name)].push_back(version.since);
  const differential::OperatorTable table =
      differential::operator_table(differential::all_samples(), *find_isa("avx2"));
  const auto refused = restrictions();
  std::string page = fmt::format(kIntroduction, operators_on_strings());
  page += "| operator | versions | types | vectors | not supported |\n|---|---|---|---|---|\n";
  for (const auto& [name, list] : versions) {
    const auto types = table.find(name);
    const auto notes = refused.find(name);
    std::vector<DType> known;
    if (types != table.end())
      for (const auto& [type, how] : types->second) known.push_back(type);
    page += fmt::format("| {} | {} | {} | {} | {} |\n", name, fmt::join(list, ", "), types_text(known),
                        types == table.end() ? "" : vectors_text(types->second),
                        notes == refused.end() ? "" : fmt::format("{}", fmt::join(notes->second, "; ")));
  }
  return page + replaced_operators() + attributes();
}

}  // namespace cppgen::docs
