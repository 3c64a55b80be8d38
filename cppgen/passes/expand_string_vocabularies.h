#pragma once
#include "cppgen/graph/graph.h"

namespace cppgen::passes {

// TfIdfVectorizer of strings becomes one of the positions of these strings in its vocabulary: the host looks words up,
// a kernel counts them. UserError naming the node if its vocabulary is no list of strings.
void expand_string_vocabularies(Graph&);

}  // namespace cppgen::passes
