#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cppgen/graph/graph.h"

// Which attributes operators have.
namespace cppgen::ops {

enum class AttributeType { integer, integers, number, numbers, text, texts, tensor, sparse_tensor, graph, type };
const char* word_of(AttributeType);  // in the order of the list: int, ints, float, floats, string, strings, tensor ...

// A version that changed an operator. `attributes` says what changed of them: "axis:int" is new or has another type,
// "-axis" is gone. Types are int, ints, float, floats, string, strings, tensor, sparse_tensor, graph, type.
struct Version {
  Version(int since, const char* attributes = "") : since(since), attributes(attributes) {}
  int since;
  const char* attributes;
};

using AttributeTypes = std::map<std::string, AttributeType, std::less<>>;
AttributeTypes attributes_at(const std::vector<Version>&, int opset);

// All attributes of a model's nodes that their operators do not have (they would be ignored, and so perhaps what the
// model means) or have with another type: a UserError that lists them with node, operator and what is allowed. For
// graphs as they are imported. `elsewhere` knows operators that are not in the table, or gives null.
using FindVersions = std::function<const std::vector<Version>*(const Node&)>;
void check_attributes(const Graph&, const FindVersions& elsewhere = {});

}  // namespace cppgen::ops
