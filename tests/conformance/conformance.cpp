// Runs the ONNX test data: every model compiled, or on the reference interpreter. See --help.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cppgen/flow/compile/isa_choice.h"
#include "cppgen/flow/compile/stages.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"
#include "runtime/threads/topology.h"
#include "tests/conformance/batch.h"
#include "tests/conformance/isolated.h"
#include "tests/conformance/known_failures.h"
#include "tests/conformance/model_work.h"
#include "tests/conformance/report.h"
#include "tests/needed_data.h"

namespace cppgen::conformance {
namespace {

struct Options {
  std::string data = "/usr/share/libonnx-testdata/data", filter, isa, json, known;
  bool interpreter = false;
  int jobs = 2;
  double timeout = 120;
};

Options parse(CLI::App& app, int argc, char** argv) {
  Options o;
  app.add_option("--data", o.data, "folder of GROUP/NAME/model.onnx with its data sets");
  app.add_flag("--interpreter", o.interpreter, "run on the reference interpreter");
  app.add_option("--filter", o.filter, "only models whose name contains this, as node/test_abs");
  app.add_option("--isa", o.isa, "as the setting ISA");
  app.add_option("--json", o.json, "write all outcomes to this file");
  app.add_option("--known", o.known,
                 "file with a line GROUP/NAME: REASON for each model that is expected to fail; with any other outcome "
                 "the exit status is 1");
  app.add_option("--jobs", o.jobs, "processes at once")->check(CLI::Range(1, 256));
  app.add_option("--timeout", o.timeout, "seconds for one model");
  app.parse(argc, argv);
  return o;
}

Setup setup_of(const Options& o) {
  Setup setup;
  setup.settings = Settings::from_environment();
  if (!o.isa.empty()) setup.settings.isa = {o.isa};
  CompileRequest request;
  request.settings = setup.settings;
  setup.isa = &IsaChoice(setup.settings, compile_options(request)).settled();
  setup.machine = rt::machine_description(rt::topology_of_this_machine());
  return setup;
}

std::vector<Outcome> outcomes_of(const std::vector<Isolated>& results, const char* stage) {
  std::vector<Outcome> outcomes;
  for (const Isolated& r : results)
    outcomes.push_back(r.trouble.empty() ? outcome_from_text(r.text) : Outcome{Status::failed, stage, r.trouble});
  return outcomes;
}

std::vector<Outcome> interpret_all(const std::vector<Case>& cases, const Setup& setup, const Options& o) {
  return outcomes_of(run_isolated(cases.size(), o.jobs, o.timeout,
                                  [&](size_t i) { return to_text(check_interpreted(cases[i], setup)); }),
                     "interpret");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1)
    lines.push_back(text.substr(from, to - from));
  return lines;
}

class CompiledRun {
 public:
  CompiledRun(const std::vector<Case>& cases, const Setup& setup, const Options& options)
      : cases_(cases), setup_(setup), options_(options), work_(system_temp_directory(), "cppgen-conformance.") {}

  std::vector<Outcome> run() {
    StageClock clock;
    clock.time("prepare", [&] { prepare_all(); });
    clock.time("compile", [&] { compile_all(); });
    clock.time("run", [&] { check_all(); });
    for (const auto& [stage, seconds] : clock.stages()) fmt::print("{} {:.1f} s\n", stage, seconds);
    return std::move(outcomes_);
  }

 private:
  const std::vector<Case>& cases_;
  const Setup& setup_;
  const Options& options_;
  TempDirectory work_;
  std::vector<Outcome> outcomes_;

  std::string package_of(size_t i) const { return fmt::format("{}/m{}", work_.path(), i); }

  std::vector<size_t> alive() const {
    std::vector<size_t> indices;
    for (size_t i = 0; i < outcomes_.size(); i++)
      if (outcomes_[i].status == Status::passed) indices.push_back(i);
    return indices;
  }

  void prepare_all() {
    for (size_t i = 0; i < cases_.size(); i++)
      if (int e = make_directories(package_of(i)))
        user_error("{}: cannot be created: {}", package_of(i), error_text(e));
    outcomes_ = outcomes_of(
        run_isolated(
            cases_.size(), options_.jobs, options_.timeout,
            [&](size_t i) { return to_text(prepare(cases_[i], setup_, package_of(i), fmt::format("m{}_", i))); }),
        "prepare");
  }

  void compile_all() {
    const std::vector<size_t> indices = alive();
    std::vector<Prepared> models;
    for (size_t i : indices) {
      const std::string package = package_of(i);
      models.push_back(
          {package, read_file(package + "/" + kSourceFile), lines_of(read_file(package + "/" + kSymbolsFile)), ""});
    }
    CompileRequest request;
    request.settings = setup_.settings;
    const BatchStats stats = compile_batches(models, *setup_.isa, compile_options(request), options_.jobs);
    fmt::print("{} kernels in {} translation units, {} from the cache\n", stats.kernels, stats.units,
               stats.cached_units);
    for (size_t k = 0; k < indices.size(); k++)
      if (!models[k].error.empty()) outcomes_[indices[k]] = {Status::failed, "compile", models[k].error};
  }

  void check_all() {
    const std::vector<size_t> indices = alive();
    const std::string isa(setup_.isa->name);
    const auto results = outcomes_of(run_isolated(indices.size(), options_.jobs, options_.timeout,
                                                  [&](size_t k) {
                                                    const size_t i = indices[k];
                                                    return to_text(check_compiled(cases_[i], package_of(i), isa));
                                                  }),
                                     "run");
    for (size_t k = 0; k < indices.size(); k++) outcomes_[indices[k]] = results[k];
  }
};

int report(const std::vector<Case>& cases, const std::vector<Outcome>& outcomes, const Options& o) {
  fmt::print("{}", table(cases, outcomes));
  if (!o.json.empty())
    if (int e = write_file(o.json, json(cases, outcomes)))
      user_error("{}: cannot be written: {}", o.json, error_text(e));
  const std::vector<std::string> surprises =
      differences(cases, outcomes, o.known.empty() ? KnownFailures{} : read_known_failures(o.known, o.filter));
  for (const std::string& line : surprises) fmt::print("{}\n", line);
  return surprises.empty() ? 0 : 1;
}

int no_data(const Options& o) {
  fmt::print(stderr, "no models in {}: install libonnx-testdata\n", o.data);
  return status_without_data();
}

int run(const Options& o) {
  const std::vector<Case> cases = find_cases(o.data, o.filter);
  if (cases.empty()) return no_data(o);
  const Setup setup = setup_of(o);
  fmt::print("{} models, {}\n", cases.size(), o.interpreter ? "interpreter" : setup.isa->name);
  std::fflush(stdout);
  return report(cases, o.interpreter ? interpret_all(cases, setup, o) : CompiledRun(cases, setup, o).run(), o);
}

}  // namespace
}  // namespace cppgen::conformance

int main(int argc, char** argv) {
  using namespace cppgen::conformance;
  CLI::App app("Runs the ONNX test data compiled, or on the interpreter.");
  try {
    return run(parse(app, argc, argv));
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
