// cppgen-run: runs, times and verifies a package. Needs only the runtime library.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/settings.h"
#include "runtime/package/version.h"
#include "runtime/session/session.h"
#include "runtime/session/verify.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"

using namespace cppgen;
using namespace cppgen::rt;

namespace {

enum ExitCode { kOk = 0, kMismatch = 1, kUserError = 2, kInternalError = 3 };

struct Options {
  std::string package, output, verify;
  std::vector<std::string> inputs, dims, settings;
  std::string threads;
  int64_t runs = 1;
  uint64_t seed = 0;
  Tolerance tolerance;
  bool json = false;
};

// "NAME=VALUE"; names may hold '=', values may not.
std::pair<std::string, std::string> split_pair(const std::string& option, const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == text.npos || at == 0) user_error("{} '{}': expected NAME=VALUE", option, text);
  return {text.substr(0, at), text.substr(at + 1)};
}

Settings read_settings(const Options& options) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string& text : options.settings) given.push_back(split_pair("--set", text));
  if (!options.threads.empty()) given.emplace_back("THREADS", options.threads);
  const Settings settings = Settings::from_environment(process_environment(), given, SettingReader::runtime);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return settings;
}

std::vector<Tensor> read_inputs(const Options& options, const Plan& plan) {
  std::map<std::string, std::string> files;
  for (const std::string& text : options.inputs) files.insert(split_pair("--input", text));
  std::vector<Tensor> inputs;
  for (const TensorInfo& info : plan.inputs) {
    const auto it = files.find(info.name);
    if (it == files.end()) user_error("--input {}=FILE.npy is missing", info.name);
    inputs.push_back(read_npy(it->second, info.type));
    files.erase(it);
  }
  if (!files.empty()) user_error("--input: the model has no input '{}'", files.begin()->first);
  return inputs;
}

std::vector<Tensor> make_random_inputs(const Options& options, const Plan& plan, int64_t max_memory) {
  std::map<std::string, int64_t> dims;
  for (const std::string& text : options.dims) {
    const auto [name, value] = split_pair("--dim", text);
    char* end = nullptr;
    dims[name] = std::strtoll(value.c_str(), &end, 10);
    if (value.empty() || *end) user_error("--dim '{}': '{}' is not an integer", text, value);
  }
  return random_inputs(plan, dims, options.seed, max_memory);
}

std::vector<TensorView> views_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) views.push_back(tensor.view());
  return views;
}

// Milliseconds of each run, sorted.
std::vector<double> time_runs(Session& session, const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs,
                              int64_t runs) {
  const auto in = views_of(inputs);
  outputs = session.run(in);  // sizes memory; not counted
  std::vector<OutputView> out;
  for (Tensor& output : outputs) out.push_back(output.output());
  std::vector<double> ms;
  for (int64_t i = 0; i < runs; i++) {
    const auto begin = std::chrono::steady_clock::now();
    session.run(in, out);
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(ms.begin(), ms.end());
  return ms;
}

void print_result(const Options& options, const Session& session, const std::vector<double>& ms,
                  const std::optional<VerifyReport>& report) {
  const SessionStats stats = session.stats();
  const double median = ms[ms.size() / 2];
  if (options.json) {
    nlohmann::json root{{"model", session.plan().model},
                        {"isa", session.plan().isa},
                        {"threads", stats.threads},
                        {"steps", stats.steps},
                        {"weights_bytes", stats.weights_bytes},
                        {"arena_bytes", stats.arena_bytes},
                        {"runs", ms.size()},
                        {"min_ms", ms.front()},
                        {"median_ms", median},
                        {"max_ms", ms.back()}};
    if (report) root["verify"] = nlohmann::json::parse(report->json());
    const auto profile = session.profile();
    if (!profile.empty() && profile[0].calls)
      root["profile"] = nlohmann::json::parse(profile_json(session.plan(), profile));
    std::puts(root.dump(1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  std::puts(fmt::format("{} steps on {} threads ({}), weights {} bytes, arena {} bytes\n"
                        "{} runs: min {:.3f} ms, median {:.3f} ms, max {:.3f} ms",
                        stats.steps, stats.threads, session.plan().isa, stats.weights_bytes, stats.arena_bytes,
                        ms.size(), ms.front(), median, ms.back())
                .c_str());
  const auto profile = session.profile();
  if (!profile.empty() && profile[0].calls) std::fputs(profile_text(session.plan(), profile).c_str(), stdout);
  if (report) std::fputs(report->text().c_str(), stdout);
}

ExitCode run(const Options& options) {
  const Settings settings = read_settings(options);
  Session session(Executable::load(options.package), SessionOptions::from(settings));
  std::optional<TestCase> test;
  if (!options.verify.empty()) test = read_test_case(options.verify, session.plan());
  const std::vector<Tensor> inputs = test ? std::move(test->inputs)
                                     : !options.inputs.empty()
                                         ? read_inputs(options, session.plan())
                                         : make_random_inputs(options, session.plan(), settings.max_memory);
  std::vector<Tensor> outputs;
  const std::vector<double> ms = time_runs(session, inputs, outputs, options.runs);
  if (!options.output.empty()) write_test_case(options.output, session.plan(), inputs, outputs);
  std::optional<VerifyReport> report;
  if (test) report = compare_outputs(test->outputs, outputs, options.tolerance);
  print_result(options, session, ms, report);
  return report && !report->ok() ? kMismatch : kOk;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs a model that cppgen compiled into a package.");
  app.set_version_flag("--version", std::string(kVersion));
  app.add_option("PACKAGE", options.package, "Directory of the package")->required();
  app.add_option("--input", options.inputs, "NAME=FILE.npy, once per input; none: random inputs")
      ->allow_extra_args(false);
  app.add_option("--dim", options.dims, "NAME=VALUE of a symbolic dimension of random inputs")->allow_extra_args(false);
  app.add_option("--seed", options.seed, "Seed of random inputs");
  app.add_option("--output", options.output, "Write in_I.npy, out_I.npy and io.json there");
  app.add_option("--verify", options.verify, "Directory with io.json: its inputs are run, its outputs compared")
      ->excludes("--input");
  app.add_option("--rtol", options.tolerance.rtol, "Allowed difference in max|expected| (1e-4 for float32)");
  app.add_option("--atol", options.tolerance.atol, "Allowed difference, in addition");
  app.add_option("--runs", options.runs, "Timed runs, after one that is not timed")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  app.add_option("--threads", options.threads, "As CPPGEN_THREADS");
  app.add_option("--set", options.settings, "NAME=VALUE of a setting, as CPPGEN_NAME")->allow_extra_args(false);
  app.add_flag("--json", options.json, "Print one JSON object");
  app.footer("Exit codes: 0 done, 1 outputs differ from the expected ones, 2 a bad package, input or option, 3 a bug.");
  try {
    app.parse(argc, argv);
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kUserError;
  } catch (const UserError& error) {
    std::fprintf(stderr, "cppgen-run: %s\n", for_terminal(error.what()).c_str());
    return kUserError;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "cppgen-run: out of memory\n");
    return kUserError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cppgen-run: internal error: %s\n", for_terminal(error.what()).c_str());
    return kInternalError;
  }
}
