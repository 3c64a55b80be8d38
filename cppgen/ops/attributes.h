#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"

// The attributes of operators.
namespace cppgen::ops {

enum class AttributeType { integer, integers, number, numbers, text, texts, tensor, sparse_tensor, graph, type };
const char* word_of(AttributeType);  // in the order of the list: int, ints, float, floats, string, strings, tensor ...

// A version that changed an operator. `attributes` lists the changes: "axis:int" is new or has a new type, "-axis" was
// removed. Types are int, ints, float, floats, string, strings, tensor, sparse_tensor, graph, type.
struct Version {
  Version(int since, std::string attributes = "") : since(since), attributes(std::move(attributes)) {}
  int since;
  std::string attributes;
};

using AttributeTypes = std::map<std::string, AttributeType, std::less<>>;
AttributeTypes attributes_at(const std::vector<Version>&, int opset);

// Checks an imported graph: UserError that lists all attributes of nodes that their operators do not have (ignoring
// them might change the model's meaning) or have with another type, with node, operator and what is allowed.
// `elsewhere` returns operators that are not in the table, or null.
using FindVersions = std::function<const std::vector<Version>*(const Node&)>;
void check_attributes(const Graph&, const FindVersions& elsewhere = {});

}  // namespace cppgen::ops
