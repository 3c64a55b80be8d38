#pragma once
#include <functional>
#include <limits>
#include <string>

#include "cppgen/graph/graph.h"

namespace cppgen {

// Graphs as text, which cppgen/text reads back (docs/ir.md). Constants of more than `most_bytes` are `elided`, so that
// a text with such constants is only for people.
inline constexpr size_t kAllBytes = std::numeric_limits<size_t>::max();
std::string graph_text(const Graph&, size_t most_bytes = kAllBytes);

// The text of a value's type: float32[N, 4], sequence string[*], or ?.
std::string exact_type(const Value&);

// `{alpha = 0.5}`; of bodies, `inner` returns the text.
using BodyText = std::function<std::string(const Graph&)>;
std::string attributes_text(const Node&, size_t most_bytes, const BodyText& inner);
// `[captures body = [1], on_host]`; "" if nothing is known.
std::string facts_text(const NodeFacts&);

}  // namespace cppgen
