// cppgen explain
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cppgen/cli/explain/explain_page.h"
#include "cppgen/cli/explain/explain_text.h"
#include "cppgen/cli/explain/pass_changes_text.h"
#include "cppgen/cli/profile/kept_profile.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/progress_line.h"
#include "cppgen/cli/shared/ready_model.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/costs/scaling.h"
#include "cppgen/flow/explain/explain.h"
#include "cppgen/ir/text/print_expr.h"
#include "cppgen/report/explain_json.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/base/printable.h"
#include "runtime/base/setting_values.h"

namespace cppgen {
namespace {

constexpr DrawOptions kBoxesOfPage{false, 40};

// Its temporary files are gone before anything is printed, which a closed pipe may end.
std::vector<PassChange> changes_of_passes(const CompileRequest& request) {
  PassChanges changes;
  explain_model(request, {{}, [&](const std::string& stage, const std::string& text) { changes.add(stage, text); }});
  return changes.take();
}

ExitCode print_passes(const ExplainOptions& options, const CompileRequest& request) {
  const std::vector<PassChange> changes = changes_of_passes(request);
  print_result(options.json ? pass_changes_json(options, changes) : for_terminal(pass_changes_text(changes)));
  return kDone;
}

// Returns whether the difference has the line of this node, with this sign. Nodes without a mark have the name of an
// output.
bool prints(const PassChange& change, char sign, const std::string& name) {
  std::istringstream lines(change.diff);
  const std::string mark = "# " + ir::quoted(name);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(sign)) continue;
    const std::string node = line.substr(std::min(line.find_first_not_of(' ', 1), line.size()));
    const bool unmarked = node.find("  # ") == node.npos;
    if (line.ends_with(mark) ||
        (unmarked && (node.starts_with("%" + name + " = ") || node.starts_with("%" + name + ", ") ||
                      node.starts_with("%" + ir::quoted(name)))))
      return true;
  }
  return false;
}

// Nodes that no step computes: which pass removed them, by folding them or otherwise.
void explain_absent_nodes(const ExplainOptions& options, const CompileRequest& request,
                          const Explanation& explanation) {
  for (const std::string& node : options.nodes) {
    if (has_node(explanation, node)) continue;
    std::string stage;
    for (const PassChange& change : changes_of_passes(request))
      if (prints(change, '-', node) && !prints(change, '+', node)) stage = change.stage;
    if (stage.empty()) user_error("neither the model nor a step has the node '{}'", node);
    user_error("no step computes the node '{}': the pass {} folded or removed it (--passes shows how)", node, stage);
  }
}

// The numbers of threads for which times are predicted; empty if --threads is that of runs.
std::vector<int> numbers_of_threads(const ExplainOptions& options) {
  if (options.threads.find(',') == options.threads.npos && options.machine.empty()) return {};
  std::vector<int> numbers;
  for (const std::string& text : setting_values::split(options.threads.empty() ? "1,8,32,64" : options.threads, ','))
    numbers.push_back(int(setting_values::parse_integer("--threads", text, "1..1024")));
  if (numbers.empty()) user_error("--threads {}: expected numbers, separated by commas", options.threads);
  return numbers;
}

void predict_scaling(Explanation& explanation, const std::vector<int>& threads, const ExplainOptions& options) {
  const int most = *std::max_element(threads.begin(), threads.end());
  const MachineModel machine = machine_model(explanation.peaks_of_one, explanation.peaks, explanation.peaks_are_assumed,
                                             this_machine(), explanation.costs, most, options.machine);
  explanation.scaling = std::make_shared<const Scaling>(scaling_of(explanation, machine, threads));
}

Explanation explained(const ExplainOptions& options, const CompileRequest& request, const CancelToken& cancel) {
  ExplainWishes wishes;
  if (!options.html.empty()) wishes.drawings = kBoxesOfPage;
  Explanation explanation = explain_model(request, wishes);
  explain_absent_nodes(options, request, explanation);
  explanation.profile = kept_profile(options, request.settings, cancel);
  if (!options.assembly) return explanation;
  const ProgressLine line(request.settings, "compiling kernels to assembly");
  add_assembly(explanation, chosen_steps(options, explanation), request);
  throw_if_cancelled(cancel);
  return explanation;
}

std::string explained_json(const ExplainOptions& options, const Explanation& explanation) {
  const report::ExplainedParts parts{chosen_steps(options, explanation), options.source, options.assembly,
                                     options.memory};
  return json_text(report::explain_json(options.model, explanation, parts), 2) + "\n";
}

}  // namespace

ExitCode command_explain(const ExplainOptions& options, const CancelToken& cancel) {
  if (is_package(options.model))
    user_error("explain needs the .onnx file, but '{0}' is a package; `cppgen inspect {0}` lists its steps",
               options.model);
  require_writable("--html", options.html);
  const std::vector<int> threads = numbers_of_threads(options);
  CommonOptions common = options;
  if (!threads.empty()) common.threads.clear();
  const Settings settings = read_settings(common);
  const CompileRequest request = compile_request(options, settings, cancel);
  Explanation explanation;
  {
    const ScopedTimeLimit limit(double(settings.compile_timeout_seconds) + 0.5, timeout_text(request));
    if (options.passes) return print_passes(options, request);
    explanation = explained(options, request, cancel);
    if (!threads.empty()) predict_scaling(explanation, threads, options);
  }
  if (!options.html.empty()) {
    if (const int e = write_file(options.html, explain_page(options, explanation, cancel)))
      user_error("--html: {}: cannot be written: {}", options.html, error_text(e));
    if (options.json) print_result(explained_json(options, explanation));
    return kDone;
  }
  print_result(options.json ? explained_json(options, explanation) : for_terminal(explain_text(options, explanation)));
  return kDone;
}

}  // namespace cppgen
