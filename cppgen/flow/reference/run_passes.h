#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/graph/graph.h"
#include "cppgen/ir/program/program.h"

namespace cppgen {

// What texts (docs/ir.md) describe.
using GraphOrProgram = std::variant<Graph, ir::Program>;

// Passes to run over a graph or a program.
struct PassRuns {
  std::vector<std::string> passes;  // in this order
  std::string until;                // first all passes in their order, up to the first of this name; empty: none
  bool verify = false;              // after each pass, that types of a graph are those that inference gives
};

// The names of the passes, in the order in which they first run: those over graphs, `lower`, which makes a program of a
// graph, and those over programs.
std::vector<std::string> names_of_passes();

// UserError with `file` and the place.
GraphOrProgram read_text(std::string_view text, const std::string& file,
                         std::shared_ptr<const ops::CustomOperators> custom_operators = nullptr);
// The request's model, or a text that is in its place.
GraphOrProgram read_model_or_text(const CompileRequest&);

// UserError for a pass that there is not, that lacks types or that runs over the other kind, and for types that are
// wrong. `poll` is called before each pass.
void run_chosen_passes(GraphOrProgram&, const PassRuns&, const Settings&, const std::function<void()>& poll = {});

std::string complete_text(const GraphOrProgram&);

}  // namespace cppgen
