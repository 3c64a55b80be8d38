#include "cppgen/ops/attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {
namespace {

struct TypeRow {
  AttributeType type;
  const char *word, *text;  // in a row of the table, in a message
};
constexpr TypeRow kTypes[] = {
    {AttributeType::integer, "int", "an integer"}, {AttributeType::integers, "ints", "a list of integers"},
    {AttributeType::number, "float", "a float"},   {AttributeType::numbers, "floats", "a list of floats"},
    {AttributeType::text, "string", "a string"},   {AttributeType::texts, "strings", "a list of strings"},
    {AttributeType::tensor, "tensor", "a tensor"}, {AttributeType::sparse_tensor, "sparse_tensor", "a sparse tensor"},
    {AttributeType::graph, "graph", "a graph"},    {AttributeType::type, "type", "a type"}};

AttributeType type_of_word(std::string_view word) {
  for (const TypeRow& row : kTypes)
    if (row.word == word) return row.type;
  internal_error("operator table: '{}' is not an attribute type", word);
}

const TypeRow& type_row_of(AttributeType type) {
  for (const TypeRow& row : kTypes)
    if (row.type == type) return row;
  internal_error("there is no row for an attribute type");
}

AttributeType type_of(const Attribute& a) {
  constexpr AttributeType kTypeOfAlternative[] = {AttributeType::integer,  AttributeType::number,  AttributeType::text,
                                                  AttributeType::integers, AttributeType::numbers, AttributeType::texts,
                                                  AttributeType::tensor,   AttributeType::graph};
  static_assert(std::size(kTypeOfAlternative) == std::variant_size_v<Attribute>);
  return kTypeOfAlternative[a.index()];
}

bool is_list(AttributeType type) {
  return type == AttributeType::integers || type == AttributeType::numbers || type == AttributeType::texts;
}

bool is_empty_list(const Attribute& a) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.empty(); }) return held.empty();
        return false;
      },
      a);
}

// Writers that see no element cannot know the type of a list. Tensors of strings are imported as their elements, types
// as numbers.
bool fits(const Attribute& a, AttributeType wanted) {
  const AttributeType given = type_of(a);
  if (is_list(wanted) && is_list(given) && is_empty_list(a)) return true;
  if (wanted == AttributeType::tensor && given == AttributeType::texts) return true;
  if (wanted == AttributeType::type && given == AttributeType::integers) return true;
  return given == wanted;
}

// Names that start with two underscores are reserved for the producers of models.
bool is_free(const std::string& name) { return name.starts_with("__"); }

struct Wrong {
  std::string list;
  size_t count = 0;
};

void collect_wrong(const Node& node, const AttributeTypes& types, Wrong& wrong) {
  for (const auto& [name, value] : node.attributes) {
    if (is_free(name)) continue;
    const auto type = types.find(name);
    if (type != types.end() && fits(value, type->second)) continue;
    wrong.count++;
    wrong.list += fmt::format("\n  node {}: {}{} (opset {}) ", quoted(node.name),
                              node.domain.empty() ? "" : node.domain + ".", node.op, node.opset);
    if (type != types.end()) {
      wrong.list += fmt::format("takes {} as attribute {}, not {}", type_row_of(type->second).text, quoted(name),
                                type_row_of(type_of(value)).text);
      continue;
    }
    std::vector<std::string> names;
    for (const auto& known : types) names.push_back(known.first);
    wrong.list += fmt::format("has no attribute {}{}", quoted(name),
                              names.empty() ? "" : fmt::format(", only {}", fmt::join(names, ", ")));
  }
}

void collect_wrong(const Graph& g, const FindVersions& elsewhere, Wrong& wrong) {
  for (const Node& node : g.nodes) {
    const Op* op = node.attributes.empty() ? nullptr : find(g, node);
    const std::vector<Version>* versions = op ? &op->versions : nullptr;
    if (!op && elsewhere && !node.attributes.empty()) versions = elsewhere(node);
    if (versions) collect_wrong(node, attributes_at(*versions, node.opset), wrong);
    for (const auto& body : bodies_of(node)) collect_wrong(*body, elsewhere, wrong);
  }
}

}  // namespace

const char* word_of(AttributeType type) { return type_row_of(type).word; }

AttributeTypes attributes_at(const std::vector<Version>& versions, int opset) {
  AttributeTypes types;
  for (const Version& version : versions) {
    if (version.since > opset) break;
    std::istringstream words(version.attributes);
    for (std::string word; words >> word;) {
      const size_t colon = word.find(':');
      if (word[0] == '-') {
        if (!types.erase(word.substr(1))) internal_error("operator table: '{}' does not exist", word);
      } else if (colon == std::string::npos) {
        internal_error("operator table: attribute '{}' has no type", word);
      } else {
        types[word.substr(0, colon)] = type_of_word(word.substr(colon + 1));
      }
    }
  }
  return types;
}

void check_attributes(const Graph& g, const FindVersions& elsewhere) {
  Wrong wrong;
  collect_wrong(g, elsewhere, wrong);
  if (wrong.count > 0) user_error("{} cannot be read:{}", counted(wrong.count, "attribute"), wrong.list);
}

}  // namespace cppgen::ops
