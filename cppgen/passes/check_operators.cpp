#include "cppgen/ops/op.h"
#include "cppgen/passes/expanded_operators.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {

void check_attributes(Graph& graph, const PassOptions&) { ops::check_attributes(graph, versions_before_expansion); }

void check_supported(Graph& graph, const PassOptions&) { ops::check_supported(graph); }

}  // namespace cppgen::passes
