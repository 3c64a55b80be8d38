#pragma once
#include <string>

#include "cppgen/graph/graph.h"

namespace cppgen {

// The line of a node in to_string(graph).
std::string to_string(const Graph&, const Node&);

// The type of a value in a few words, "?" if it is not known.
std::string type_text(const Value&);

}  // namespace cppgen
