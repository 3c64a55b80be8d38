#pragma once
#include <functional>

#include "cppgen/graph/graph.h"
#include "cppgen/text/reader.h"

namespace cppgen::text {

// Domain and name of an operator: Gelu, com.microsoft.Gelu, or "domain" "operator".
void read_operator(Reader&, Node&);

// `{alpha = 0.5}`; `body` reads a graph.
using ReadBody = std::function<std::shared_ptr<Graph>()>;
std::map<std::string, Attribute> read_attributes(Reader&, const ReadBody& body);

// `[captures body = [1], on_host]`
NodeFacts read_facts(Reader&);

}  // namespace cppgen::text
