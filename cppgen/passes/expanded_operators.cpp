#include "cppgen/passes/expanded_operators.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "cppgen/ops/op.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {

const std::vector<ExpandedOperator>& expanded_operators() {
  static const std::vector<ExpandedOperator> sorted = [] {
    std::vector<ExpandedOperator> all;
    for (const auto& rows : {expanded_blocks(), expanded_composites(), expanded_learners()})
      all.insert(all.end(), rows.begin(), rows.end());
    const auto key = [](const ExpandedOperator& op) {
      return std::tuple(std::string_view(op.domain), std::string_view(op.name));
    };
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    return all;
  }();
  return sorted;
}

std::vector<ops::Version> attributes_like(const char* domain, const char* name, int opset, const std::string& changes) {
  const ops::Op* op = ops::find(domain, name, opset);
  if (!op) internal_error("table of expansions: there is no operator {}.{} of version {}", domain, name, opset);
  std::string attributes;
  for (const auto& [attribute, type] : ops::attributes_at(op->versions, opset))
    attributes += attribute + ":" + ops::word_of(type) + " ";
  return {ops::Version(1, attributes + changes)};
}

const std::vector<ops::Version>* versions_before_expansion(const Node& node) {
  for (const ExpandedOperator& op : expanded_operators())
    if (node.op == op.name && node.domain == op.domain) return op.versions;
  return nullptr;
}

}  // namespace cppgen::passes
