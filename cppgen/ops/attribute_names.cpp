#include "cppgen/ops/attribute_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"

namespace cppgen::ops {
namespace {

Names words(const char* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

using Versions = std::map<int, Names>;
using Index = std::map<std::pair<std::string, std::string>, Versions>;

Index make_index() {
  Index index;
  for (const AttributeRow& row : attribute_rows())
    for (const std::string& op : words(row.ops)) index[{row.domain, op}][row.since] = words(row.names);
  return index;
}

struct Unknown {
  std::string list;
  size_t count = 0;
};

// Importers note things beside attributes under names with a colon; schemas leave names that begin with two underlines
// to those who make models.
bool is_free(const std::string& name) { return name.find(':') != std::string::npos || name.starts_with("__"); }

void collect_unknown(const Graph& g, Unknown& unknown) {
  for (const Node& node : g.nodes) {
    const std::optional<Names> names = attribute_names(node.domain, node.op, node.opset);
    for (const auto& [name, value] : node.attributes) {
      if (!names || is_free(name) || names->contains(name)) continue;
      unknown.count++;
      unknown.list += fmt::format("\n  node {}: {}{} (opset {}) has no attribute {}{}", quoted(node.name),
                                  node.domain.empty() ? "" : node.domain + ".", node.op, node.opset, quoted(name),
                                  names->empty() ? "" : fmt::format(", only {}", fmt::join(*names, ", ")));
    }
    for (const auto& body : bodies_of(node)) collect_unknown(*body, unknown);
  }
}

}  // namespace

std::optional<Names> attribute_names(const std::string& domain, const std::string& op, int opset) {
  static const Index index = make_index();
  const auto found = index.find({domain, op});
  if (found == index.end())
    return domain != "cppgen" && find(domain, op, opset) ? std::optional(Names{}) : std::nullopt;
  const auto after = found->second.upper_bound(opset);
  return after == found->second.begin() ? Names{} : std::prev(after)->second;
}

void check_attributes(const Graph& g) {
  Unknown unknown;
  collect_unknown(g, unknown);
  if (unknown.count > 0)
    user_error("{} attribute{} unknown:{}", unknown.count, unknown.count == 1 ? " is" : "s are", unknown.list);
}

}  // namespace cppgen::ops
