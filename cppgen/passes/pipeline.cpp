#include "cppgen/passes/pipeline.h"

#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

enum class Scope : uint8_t { each_graph, whole };

struct Pass {
  const char* name;
  void (*run)(Graph&, const PassOptions&);
  Scope scope;
  bool PassOptions::*option;
};

using enum Scope;
constexpr Pass kPasses[] = {
#define CPPGEN_GRAPH_PASS(name, scope, option) {#name, name, scope, option},
#define CPPGEN_GRAPH_PASS_AGAIN CPPGEN_GRAPH_PASS
#include "cppgen/passes/passes.def"
};

// Bodies at any depth, each after the graph around it.
void run_in_bodies(const Pass& pass, Graph& graph, const PassOptions& options) {
  for (const Node& node : graph.nodes)
    for (const auto& body : bodies_of(node)) {
      pass.run(*body, options);
      run_in_bodies(pass, *body, options);
    }
}

}  // namespace

void run_passes(Graph& graph, const PassOptions& options) {
  for (const Pass& pass : kPasses) {
    if (pass.option && !(options.*pass.option)) continue;
    pass.run(graph, options);
    if (pass.scope == each_graph) run_in_bodies(pass, graph, options);
    verify(graph);
    if (options.trace) options.trace(pass.name, graph);
  }
}

}  // namespace cppgen::passes
