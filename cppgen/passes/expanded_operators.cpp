#include "cppgen/passes/expanded_operators.h"

#include <algorithm>
#include <string_view>
#include <tuple>

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

const std::vector<ops::Version>* versions_before_expansion(const Node& node) {
  for (const ExpandedOperator& op : expanded_operators())
    if (node.op == op.name && node.domain == op.domain) return op.versions;
  return nullptr;
}

}  // namespace cppgen::passes
