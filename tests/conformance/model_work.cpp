#include "tests/conformance/model_work.h"

#include <fmt/format.h>

#include <functional>

#include "cppgen/flow/compile/model_parts.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/flow/data/data_sets.h"
#include "cppgen/flow/reference/reference_model.h"
#include "cppgen/flow/reference/reference_plan.h"
#include "cppgen/ops/op.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/package/weights.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/package/package.h"
#include "runtime/session/session.h"
#include "tests/conformance/compare.h"

namespace cppgen::conformance {
namespace {

constexpr int kThreads = 2;  // runs go through the parallel region

// Runs one stage after the other until one refuses. What a model asks for and cppgen says it cannot do is
// `unsupported`; any other end is a failure.
class Stages {
 public:
  // False if it ended here. A UserError counts as `refusal`.
  bool run(const char* stage, Status refusal, const std::function<void()>& work) {
    try {
      work();
      return true;
    } catch (const UserError& e) {
      outcome_ = {refusal, stage, e.what()};
    } catch (const std::exception& e) {
      outcome_ = {Status::failed, stage, e.what()};
    }
    return false;
  }
  bool fail(const char* stage, const std::string& reason) {
    outcome_ = {Status::failed, stage, reason};
    return false;
  }
  Outcome passed() const { return {Status::passed, "", ""}; }
  const Outcome& outcome() const { return outcome_; }

 private:
  Outcome outcome_;
};

CompileRequest request_for(const Case& c, const Setup& setup) {
  CompileRequest request;
  request.model = c.model;
  request.settings = setup.settings;
  return request;
}

void write(const std::string& path, const std::string& content) {
  if (int e = write_file(path, content)) user_error("{}: cannot be written: {}", path, error_text(e));
}

void write_files(const std::string& package, const std::vector<ModelPart>& parts,
                 const std::optional<rt::Module>& module) {
  std::string source, symbols;
  for (const ModelPart& part : parts)
    for (const auto& kernel : part.kernels) source += "\n" + kernel.code(), symbols += kernel.name + "\n";
  write(package + "/" + kSourceFile, source);
  write(package + "/" + kSymbolsFile, symbols);
  std::vector<rt::Plan> plans;
  for (const ModelPart& part : parts) plans.push_back(part.plan.plan);
  write_plans(package, plans, module);
  write_weights(package, parts, module.has_value(), 1);
}

// "" or the first difference.
std::string compare_value(const rt::Value& expected, const rt::Value& actual) {
  if (expected.tensor() && actual.tensor()) return difference(expected.tensor()->view(), actual.tensor()->view());
  if (expected.sequence() && actual.sequence() && expected.sequence()->size() == actual.sequence()->size()) {
    for (size_t i = 0; i < expected.sequence()->size(); i++)
      if (auto text = compare_value((*expected.sequence())[i], (*actual.sequence())[i]); !text.empty())
        return fmt::format("element {}: {}", i, text);
    return "";
  }
  if (expected.strings() && actual.strings()) {
    const bool same = expected.strings()->dims == actual.strings()->dims &&
                      expected.strings()->elements == actual.strings()->elements;
    return same ? "" : "strings differ";
  }
  if (expected.is_empty() && actual.is_empty()) return "";
  return fmt::format("is {}, expected {}", actual.description(), expected.description());
}

std::string compare_all(const ValueSet& test, const std::vector<rt::Value>& actual) {
  if (test.outputs.size() != actual.size())
    return fmt::format("{} outputs, expected {}", actual.size(), test.outputs.size());
  for (size_t i = 0; i < actual.size(); i++)
    if (auto text = compare_value(test.outputs[i], actual[i]); !text.empty())
      return fmt::format("output {}: {}", i, text);
  return "";
}

using Run = std::function<std::vector<rt::Value>(std::vector<rt::Value>)>;

Outcome check_data_sets(const Case& c, const rt::Plan& plan, const Run& run, Stages& stages) {
  std::vector<DataSet> sets;
  if (!stages.run("data", Status::failed, [&] { sets = find_data_sets(c.directory); })) return stages.outcome();
  for (const DataSet& set : sets) {
    ValueSet test;
    std::vector<rt::Value> results;
    std::string wrong;
    bool ok = stages.run("data", Status::unsupported, [&] {
      test = read_value_set(set, plan);
    }) && stages.run("run", Status::failed, [&] {
      results = run(test.inputs);
      wrong = compare_all(test, results);
    }) && (wrong.empty() || stages.fail("compare", wrong));
    if (!ok) return stages.outcome();
  }
  return stages.passed();
}

}  // namespace

Outcome prepare(const Case& c, const Setup& setup, const std::string& package, const std::string& prefix) {
  Stages stages;
  StageClock clock;
  Graph graph;
  ModelGraphs graphs;
  std::vector<ModelPart> parts;
  const auto target = target_of(*setup.isa, setup.machine);
  const schedule::Options options = schedule_options(setup.settings);
  bool ok =
      stages.run("import", Status::unsupported, [&] { graph = read_and_simplify(request_for(c, setup), clock); }) &&
      stages.run("cut", Status::unsupported, [&] { graphs = cut(std::move(graph)); }) &&
      stages.run("schedule", Status::unsupported,
                 [&] { parts = make_parts(graphs, setup.settings, options, target, clock, prefix); }) &&
      stages.run("plan", Status::unsupported, [&] {
        size_t kernels = 0;
        for (ModelPart& part : parts) {
          part.object_of_kernel.assign(part.kernels.size(), 0);
          kernels += part.kernels.size();
        }
        const std::vector<std::string> libraries(kernels > 0 ? 1 : 0, kLibraryFile);
        make_plans(parts, graphs.module, libraries, target);
        write_files(package, parts, graphs.module);
      });
  return ok ? stages.passed() : stages.outcome();
}

// Runs the package; with streams, independent steps run together.
Outcome check_session(const Case& c, const std::string& package, bool streams) {
  Stages stages;
  std::unique_ptr<rt::Session> session;
  bool ok = stages.run("load", Status::failed, [&] {
    rt::SessionOptions options;
    options.threads = kThreads, options.multistream_mode = streams;
    session = std::make_unique<rt::Session>(rt::Executable::load(package, {}), options);
  });
  if (!ok) return stages.outcome();
  for (const rt::Step& step : session->plan().steps)
    if (step.engine == kInterpreterEngine) return {Status::failed, "load", "a step is interpreted"};
  Outcome outcome = check_data_sets(
      c, session->plan(), [&](auto inputs) { return session->run_values(std::move(inputs)); }, stages);
  if (streams && outcome.status != Status::passed) outcome.reason = "with streams: " + outcome.reason;
  return outcome;
}

Outcome check_compiled(const Case& c, const std::string& package, const std::string& isa) {
  Stages stages;
  if (!stages.run("load", Status::failed, [&] { rt::write_manifest(package, isa); })) return stages.outcome();
  const Outcome outcome = check_session(c, package, false);
  return outcome.status == Status::passed ? check_session(c, package, true) : outcome;
}

Outcome check_interpreted(const Case& c, const Setup& setup) {
  Stages stages;
  std::unique_ptr<ReferenceModel> model;
  rt::Plan plan;
  bool ok = stages.run("import", Status::unsupported, [&] {
    model = std::make_unique<ReferenceModel>(request_for(c, setup));
    plan = reference_plan(*model);
  });
  if (!ok) return stages.outcome();
  return check_data_sets(
      c, plan, [&](auto inputs) { return reference_runner(*model, plan).run_values(std::move(inputs)); }, stages);
}

}  // namespace cppgen::conformance
