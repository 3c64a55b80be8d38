#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "cppgen/graph/graph.h"

namespace cppgen::text {

// The graph of a text as graph_text prints it (docs/ir.md), verified. `file` begins messages. UserError with file, line
// and column for what is no graph: the text may come from anywhere. Types are those of the text; whether operators
// exist and have these types is the question of passes.
Graph read_graph(std::string_view text, const std::string& file,
                 std::shared_ptr<const ops::CustomOperators> custom_operators = nullptr);

}  // namespace cppgen::text
