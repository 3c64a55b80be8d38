#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cppgen/flow/compile/compiler.h"
#include "cppgen/graph/graph.h"
#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/options.h"

namespace cppgen {

namespace schedule_text {
struct TargetedDraft;
}

// The kinds of programs that texts (docs/ir.md) describe.
using TextContent = std::variant<Graph, ir::Program, std::shared_ptr<schedule_text::TargetedDraft>>;

// Passes to run over what a text describes.
struct PassRuns {
  std::vector<std::string> passes;  // in this order
  std::string until;                // first all passes in their order, up to the first of this name; empty: none
  // Verifies after each pass that types of a graph are those that inference gives, and that a schedule can be read back
  // from its text.
  bool verify = false;
  bool plans = false;                           // the text of a schedule has the plans of its kernels
  std::optional<schedule::Target> target = {};  // of programs; null: this machine
  // Called with what was read, and after each pass.
  std::function<void(const std::string& pass, const TextContent&)> after = {};
};

// The names of the passes, in the order in which they first run: those over graphs, `lower`, which makes a program of a
// graph, and those over programs and schedules.
std::vector<std::string> names_of_passes();

// The passes of a compilation with these settings, in the order in which they run; some run again.
std::vector<std::string> passes_in_order(const Settings&);

// UserError with `file` and the place.
TextContent read_text(std::string_view text, const std::string& file,
                      std::shared_ptr<const ops::CustomOperators> custom_operators = nullptr);
// The request's model, or a text that is in its place.
TextContent read_model_or_text(const CompileRequest&);

// UserError for a pass that there is not, that lacks types, that runs over another kind or in another order, and for
// types that are wrong. `poll` is called before each pass.
void run_chosen_passes(TextContent&, const PassRuns&, const Settings&, const std::function<void()>& poll = {});

std::string complete_text(const TextContent&);

}  // namespace cppgen
