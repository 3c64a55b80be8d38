#include "tests/conformance/model_work.h"

#include <fmt/format.h>

#include <functional>

#include "cppgen/driver/data_sets.h"
#include "cppgen/driver/reference_plan.h"
#include "cppgen/driver/stages.h"
#include "cppgen/ops/op.h"
#include "cppgen/package/plan_builder.h"
#include "cppgen/package/weights.h"
#include "cppgen/schedule/schedule.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "runtime/session/package.h"
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

package::PlanAndWeights plan_of(const Graph& graph, const schedule::Schedule& schedule,
                                const std::vector<codegen::KernelText>& kernels, const Setup& setup) {
  std::vector<std::string> inputs, outputs, libraries;
  for (ValueId v : graph.inputs) inputs.push_back(graph.value(v).name);
  for (ValueId v : graph.outputs) outputs.push_back(graph.value(v).name);
  if (!kernels.empty()) libraries.push_back(kLibraryFile);
  const std::vector<int> library_of_kernel(kernels.size(), 0);
  return package::build_plan(
      {schedule, kernels, library_of_kernel, libraries, inputs, outputs, graph.name, std::string(setup.isa->name)});
}

void write_files(const std::string& package, const schedule::Schedule& schedule,
                 const std::vector<codegen::KernelText>& kernels, const package::PlanAndWeights& plan) {
  std::string source, symbols;
  for (const auto& kernel : kernels) source += "\n" + kernel.code, symbols += kernel.name + "\n";
  write(package + "/" + kSourceFile, source);
  write(package + "/" + kSymbolsFile, symbols);
  write(package + "/" + std::string(rt::kPlanFile), rt::to_json(plan.plan));
  package::write_weights(package + "/" + std::string(rt::kWeightsFile), schedule, plan.weights, plan.plan.weights_bytes,
                         1);
}

std::string compare_all(const rt::TestCase& test, const std::vector<rt::Tensor>& actual) {
  if (test.outputs.size() != actual.size())
    return fmt::format("{} outputs, expected {}", actual.size(), test.outputs.size());
  for (size_t i = 0; i < actual.size(); i++)
    if (auto text = difference(test.outputs[i].values.view(), actual[i].view()); !text.empty())
      return fmt::format("output {}: {}", i, text);
  return "";
}

using Run = std::function<std::vector<rt::Tensor>(std::span<const rt::TensorView>)>;

Outcome check_data_sets(const Case& c, const rt::Plan& plan, const Run& run, Stages& stages) {
  std::vector<DataSet> sets;
  if (!stages.run("data", Status::failed, [&] { sets = find_data_sets(c.directory); })) return stages.outcome();
  for (const DataSet& set : sets) {
    rt::TestCase test;
    std::vector<rt::Tensor> results;
    std::string wrong;
    bool ok = stages.run("data", Status::unsupported, [&] {
      test = read_data_set(set, plan);
    }) && stages.run("run", Status::failed, [&] {
      std::vector<rt::TensorView> inputs;
      for (const auto& input : test.inputs) inputs.push_back(input.view());
      results = run(inputs);
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
  ir::Program program;
  schedule::Schedule schedule;
  std::vector<codegen::KernelText> kernels;
  const auto target = target_of(*setup.isa, setup.machine);
  bool ok =
      stages.run("import", Status::unsupported, [&] { graph = read_and_simplify(request_for(c, setup), clock); }) &&
      stages.run("lower", Status::unsupported, [&] { program = ops::lower(graph); }) &&
      stages.run("schedule", Status::unsupported,
                 [&] {
                   schedule = schedule::make_schedule(std::move(program), schedule_options(setup.settings), target);
                   for (auto& step : schedule.steps)
                     if (auto* kernel = std::get_if<schedule::FusedKernel>(&step)) kernel->name = prefix + kernel->name;
                 }) &&
      stages.run("codegen", Status::unsupported, [&] { kernels = emit_kernels(schedule, target, setup.settings); }) &&
      stages.run("plan", Status::unsupported,
                 [&] { write_files(package, schedule, kernels, plan_of(graph, schedule, kernels, setup)); });
  return ok ? stages.passed() : stages.outcome();
}

Outcome check_compiled(const Case& c, const std::string& package, const std::string& isa) {
  Stages stages;
  std::unique_ptr<rt::Session> session;
  bool ok = stages.run("load", Status::failed, [&] {
    rt::write_manifest(package, isa);
    rt::SessionOptions options;
    options.threads = kThreads;
    session = std::make_unique<rt::Session>(rt::Executable::load(package, {}), options);
  });
  if (!ok) return stages.outcome();
  for (const rt::Step& step : session->plan().steps)
    if (step.engine == kInterpreterEngine) return {Status::failed, "load", "a step is interpreted"};
  return check_data_sets(
      c, session->plan(), [&](auto inputs) { return session->run(inputs); }, stages);
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
      c, plan, [&](auto inputs) { return run_reference(*model, plan, inputs); }, stages);
}

}  // namespace cppgen::conformance
