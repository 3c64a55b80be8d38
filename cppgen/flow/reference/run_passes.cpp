#include "cppgen/flow/reference/run_passes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cppgen/custom/load.h"
#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/compile/states.h"
#include "cppgen/forms/forms.h"
#include "cppgen/graph/graph_text.h"
#include "cppgen/ir/text/program_text.h"
#include "cppgen/ops/op.h"
#include "cppgen/partition/partition.h"
#include "cppgen/passes/pipeline.h"
#include "cppgen/schedule/pipeline.h"
#include "cppgen/schedule_text/check_draft.h"
#include "cppgen/schedule_text/schedule_text.h"
#include "cppgen/support/input_file.h"
#include "cppgen/text/graph_reader.h"
#include "cppgen/text/program_reader.h"
#include "runtime/base/errors.h"

namespace cppgen {

using schedule_text::TargetedDraft;

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 32;
constexpr const char* kLower = "lower";

bool is_model(const std::string& path) { return path.ends_with(".onnx"); }

std::string content_of(const std::string& path) {
  try {
    const InputFile file = InputFile::open(path);
    if (file.size() > kMostBytes) user_error("it has {} bytes, more than {}", file.size(), kMostBytes);
    return file.read();
  } catch (const UserError& e) {
    user_error("{}: {}", path, e.what());
  }
}

// The first value without a type; empty if there is none.
std::string untyped_value(const Graph& graph) {
  const auto is_untyped = [&](ValueId id) { return id != kNoValue && !graph.value(id).type && !graph.value(id).host; };
  for (ValueId id : graph.inputs)
    if (is_untyped(id)) return graph.value(id).name;
  for (const Node& node : graph.nodes) {
    for (ValueId id : node.outputs)
      if (is_untyped(id)) return graph.value(id).name;
    for (const auto& body : bodies_of(node))
      if (std::string name = untyped_value(*body); !name.empty()) return name;
  }
  return "";
}

// Folding leaves nodes without outputs.
bool has_output(const Node& node) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [](ValueId id) { return id != kNoValue; });
}

void require_outputs(const Graph& graph, const std::string& pass) {
  for (const Node& node : graph.nodes) {
    if (!has_output(node))
      user_error("the node {} has no output, but {} needs one: run eliminate_dead_code before it", quoted(node.name),
                 pass);
    for (const auto& body : bodies_of(node)) require_outputs(*body, pass);
  }
}

void require_types(const Graph& graph, const std::string& pass) {
  if (const std::string name = untyped_value(graph); !name.empty())
    user_error("the pass {} needs the types of all values, but {} has none: run infer_types before it", pass,
               quoted(name));
}

void infer_again(Graph& graph, NodeId id) {
  ops::infer_node(graph, id, [](Graph& body) {
    for (size_t i = 0; i < body.nodes.size(); i++)
      if (has_output(body.nodes[i])) infer_again(body, NodeId(i));
  });
}

// Infers on a copy with an arena of its own, in which inference leaves no trace. Existing types stay until they are
// inferred, because they have the symbols of dimensions that only a run knows.
void verify_types(const Graph& graph, const std::string& when) {
  Graph copy = text::read_graph(graph_text(graph), "copy", graph.custom_operators);
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    if (!has_output(graph.nodes[i])) continue;
    const std::vector<ValueId> outputs = copy.nodes[i].outputs;
    for (ValueId id : outputs)
      if (id != kNoValue) copy.value(id).contents.reset();
    infer_again(copy, NodeId(i));
    for (size_t k = 0; k < outputs.size(); k++) {
      if (outputs[k] == kNoValue) continue;
      const Value& value = graph.value(graph.nodes[i].outputs[k]);
      const std::string given = exact_type(value), inferred = exact_type(copy.value(outputs[k]));
      if (given != inferred)
        user_error("{}: the value {} has the type {}, but inference gives {}", when, quoted(value.name), given,
                   inferred);
    }
  }
}

// Null if it is a graph or a program.
TargetedDraft* draft_of(const TextContent& it) {
  const auto* draft = std::get_if<std::shared_ptr<TargetedDraft>>(&it);
  return draft ? draft->get() : nullptr;
}

void verify_text(const TargetedDraft& draft, const std::string& when) {
  const std::string text = schedule_text::to_text(draft);
  const TextContent read = read_text(text, when);
  if (complete_text(read) != text) internal_error("{}: the text of the schedule is read back as another one", when);
}

enum class Over : uint8_t { graph, lowering, schedule };

// A row of the tables of passes, or the lowering between them. A program is a schedule that has not begun.
struct Row {
  std::string name;
  Over over;
  bool needs_types = false;
  bool infers = false;
  bool is_on = true;
  const schedule::Pass* pass = nullptr;  // over schedules
};

bool is_disabled(const Settings& settings, const std::string& name) {
  const auto& names = settings.disable_passes;
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Row> all_rows(const Settings& settings) {
  const passes::PassOptions options = pass_options({}, settings);
  const schedule::Options schedule = schedule_options(settings);
  std::vector<Row> rows;
  for (const passes::PassRow& row : passes::pass_rows())
    rows.push_back(
        {row.name, Over::graph, row.needs_types, row.name == "infer_types", !row.option || options.*row.option});
  rows.push_back({kLower, Over::lowering, true});
  for (const auto passes : {schedule::program_passes(), schedule::fusion_passes(), schedule::kernel_passes()})
    for (const schedule::Pass& pass : passes)
      rows.push_back({pass.name, Over::schedule, false, false, !pass.option || schedule.*pass.option, &pass});
  for (Row& row : rows) row.is_on = row.is_on && !is_disabled(settings, row.name);
  return rows;
}

// The rows to run: those up to `until`, without those that settings turn off, then the chosen ones.
std::vector<Row> rows_of(const PassRuns& runs, const Settings& settings, const TextContent& it) {
  const std::vector<Row> all = all_rows(settings);
  const auto find = [&](const std::string& name) {
    const auto row = std::find_if(all.begin(), all.end(), [&](const Row& r) { return r.name == name; });
    if (row == all.end())
      user_error("there is no pass \"{}\"; the passes are {}", name, fmt::join(names_of_passes(), ", "));
    return row;
  };
  std::vector<Row> rows;
  const TargetedDraft* draft = draft_of(it);
  const auto runs_here = [&](const Row& row) {
    if (!row.is_on || (draft && !schedule_text::can_follow(draft->draft, row.name))) return false;
    return std::holds_alternative<Graph>(it) || row.over == Over::schedule;
  };
  if (!runs.until.empty()) std::copy_if(all.begin(), find(runs.until) + 1, std::back_inserter(rows), runs_here);
  for (const std::string& name : runs.passes) rows.push_back(*find(name));
  return rows;
}

ir::Program lowered(Graph& graph) {
  if (!partition::is_one_plan(graph))
    user_error("the graph cannot be lowered as a whole: some of its nodes run on the host, between programs");
  ir::Program program = ops::lower(graph, {.library = true});
  keep_states(program, graph.states);
  return program;
}

class PassRunner {
 public:
  PassRunner(TextContent& it, const Settings& settings, const PassRuns& runs)
      : it_(it), settings_(settings), runs_(runs) {
    if (Graph* graph = std::get_if<Graph>(&it_)) options_ = pass_options(*graph, settings);
  }

  void verify(const std::string& when) const {
    if (!runs_.verify) return;
    const Graph* graph = std::get_if<Graph>(&it_);
    if (graph && untyped_value(*graph).empty()) verify_types(*graph, when);
    if (const TargetedDraft* draft = draft_of(it_)) verify_text(*draft, when);
  }

  void run(const Row& row) {
    Graph* graph = std::get_if<Graph>(&it_);
    if (!graph && row.over != Over::schedule)
      user_error("{} runs over graphs, but there is a program already", row.name);
    if (graph && row.over == Over::schedule)
      user_error("{} runs over programs: run {} before it, which makes one of a graph", row.name, kLower);
    if (graph && row.needs_types) check_types(*graph, row.name);
    types_are_inferred_ = types_are_inferred_ || row.infers;
    if (row.infers || row.over == Over::lowering) require_outputs(*graph, row.name);
    if (row.over == Over::graph) return passes::run_pass(row.name, *graph, options_);
    if (row.over == Over::schedule) return run_over_schedule(*row.pass);
    ir::Program program = lowered(*graph);
    it_ = std::move(program);
  }

 private:
  TextContent& it_;
  const Settings& settings_;
  const PassRuns& runs_;
  bool types_are_inferred_ = false;  // and not those of a text, which may be wrong
  passes::PassOptions options_;

  void check_types(const Graph& graph, const std::string& pass) {
    require_types(graph, pass);
    if (!types_are_inferred_) verify_types(graph, "as read");
    types_are_inferred_ = true;
  }

  // The schedule, which begins with the program if there is none yet.
  TargetedDraft& schedule() {
    if (auto* program = std::get_if<ir::Program>(&it_)) {
      TargetedDraft begun{runs_.target ? *runs_.target : target_of(likely_isa(settings_), this_machine()), {}};
      replace_numbers(begun.target, settings_);
      begun.draft.schedule.program = std::move(*program);
      it_ = std::make_shared<TargetedDraft>(std::move(begun));
    }
    return *draft_of(it_);
  }

  void run_over_schedule(const schedule::Pass& pass) {
    TargetedDraft& it = schedule();
    schedule_text::check_order(it.draft, pass);
    schedule::Options options = schedule_options(settings_);
    options.disabled_passes.clear();
    schedule::Pass always = pass;
    always.option = nullptr;
    schedule::Draft draft{options, it.target, std::move(it.draft)};
    schedule::run_passes({&always, 1}, draft);
    it.draft = std::move(draft);
    if (schedule_text::is_only_program(it.draft)) it.draft.schedule.log = {};
  }
};

}  // namespace

std::vector<std::string> names_of_passes() {
  std::vector<std::string> names;
  for (const Row& row : all_rows({}))
    if (std::find(names.begin(), names.end(), row.name) == names.end()) names.push_back(row.name);
  return names;
}

std::vector<std::string> passes_in_order(const Settings& settings) {
  std::vector<std::string> names;
  for (const Row& row : all_rows(settings))
    if (row.is_on) names.push_back(row.name);
  return names;
}

TextContent read_text(std::string_view text, const std::string& file,
                      std::shared_ptr<const ops::CustomOperators> custom_operators) {
  if (text::is_program(text, file)) return text::read_program(text, file);
  if (schedule_text::is_schedule(text, file))
    return std::make_shared<TargetedDraft>(schedule_text::read_schedule(text, file, forms::plan_text));
  return text::read_graph(text, file, std::move(custom_operators));
}

TextContent read_model_or_text(const CompileRequest& request) {
  const std::vector<rt::CustomFile> custom = rt::read_custom_files(custom_operator_paths(request));
  if (is_model(request.model)) return import_model(request, custom);
  if (!request.dims.empty()) user_error("--dim changes models, but {} is a text", request.model);
  if (!request.states.empty())
    user_error("--state is for models, but {} is a text: the text of a graph says `keep` (docs/ir.md)", request.model);
  return read_text(content_of(request.model), request.model, custom::make_operators(custom));
}

void run_chosen_passes(TextContent& it, const PassRuns& runs, const Settings& settings,
                       const std::function<void()>& poll) {
  PassRunner runner(it, settings, runs);
  const std::vector<Row> rows = rows_of(runs, settings, it);
  runner.verify("as read");
  if (runs.after) runs.after("read", it);
  for (const Row& row : rows) {
    if (poll) poll();
    runner.run(row);
    runner.verify("after " + row.name);
    if (runs.after) runs.after(row.name, it);
  }
  if (TargetedDraft* draft = draft_of(it); draft && runs.plans) draft->plans = forms::plan_text;
}

std::string complete_text(const TextContent& it) {
  if (const Graph* graph = std::get_if<Graph>(&it)) return graph_text(*graph);
  if (const TargetedDraft* draft = draft_of(it)) return schedule_text::to_text(*draft);
  return ir::program_text(std::get<ir::Program>(it));
}

}  // namespace cppgen
