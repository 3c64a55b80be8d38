#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"

// Which attributes an operator has.
namespace cppgen::ops {

// From version `since` to the next row of the same operators; names are separated by spaces. Operators without a row
// have no attributes.
struct AttributeRow {
  const char* domain;
  const char* ops;
  int since;
  const char* names;
};
const std::vector<AttributeRow>& attribute_rows();

using Names = std::set<std::string, std::less<>>;
// Those of this version, none if neither the operator table nor a row knows the operator.
std::optional<Names> attribute_names(const std::string& domain, const std::string& op, int opset);

// All attributes of a model's nodes that their operators do not have: a UserError that lists them with node, operator
// and what is allowed. They would be ignored, and so perhaps what the model means. For graphs as they are imported.
void check_attributes(const Graph&);

}  // namespace cppgen::ops
