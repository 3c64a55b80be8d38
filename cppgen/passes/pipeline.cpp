#include "cppgen/passes/pipeline.h"

#include <algorithm>

#include "cppgen/passes/passes.h"
#include "runtime/base/errors.h"

namespace cppgen::passes {
namespace {

enum class Scope : uint8_t { each_graph, whole };

struct Pass {
  const char* name;
  void (*run)(Graph&, const PassOptions&);
  Scope scope;
  bool needed;
  bool PassOptions::*option;
};

using enum Scope;
constexpr bool needed = true, optional = false;

constexpr Pass kPasses[] = {
#define CPPGEN_GRAPH_PASS(name, scope, necessity, option) {#name, name, scope, necessity, option},
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

bool names_pass(const std::vector<std::string>& names, const Pass& pass) {
  return std::find(names.begin(), names.end(), pass.name) != names.end();
}

void run(const Pass& pass, Graph& graph, const PassOptions& options) {
  pass.run(graph, options);
  if (pass.scope == each_graph) run_in_bodies(pass, graph, options);
  verify(graph);
}

}  // namespace

void run_pass(const std::string& name, Graph& graph, const PassOptions& options) {
  const auto* pass =
      std::find_if(std::begin(kPasses), std::end(kPasses), [&](const Pass& p) { return p.name == name; });
  if (pass == std::end(kPasses)) internal_error("there is no pass {}", name);
  run(*pass, graph, options);
}

std::vector<PassRow> pass_rows() {
  std::vector<PassRow> rows;
  bool typed = false;
  for (const Pass& pass : kPasses) {
    rows.push_back({pass.name, pass.option, typed});
    typed = typed || pass.run == infer_types;
  }
  return rows;
}

std::vector<std::string> pass_names(bool are_needed) {
  std::vector<std::string> names;
  for (const Pass& pass : kPasses)
    if (pass.needed == are_needed && !names_pass(names, pass)) names.push_back(pass.name);
  return names;
}

void run_passes(Graph& graph, const PassOptions& options) {
  for (const Pass& pass : kPasses) {
    if ((pass.option && !(options.*pass.option)) || names_pass(options.disabled, pass)) continue;
    run(pass, graph, options);
    if (options.trace) options.trace(pass.name, graph);
  }
}

}  // namespace cppgen::passes
