// cppgen-run: runs, times and verifies a package. Needs only the runtime library.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <system_error>

#include "runtime/base/bug_reports.h"
#include "runtime/base/errors.h"
#include "runtime/base/log.h"
#include "runtime/base/printable.h"
#include "runtime/base/settings.h"
#include "runtime/base/version.h"
#include "runtime/package/standalone.h"
#include "runtime/session/run_arguments.h"
#include "runtime/session/run_report.h"
#include "runtime/session/session.h"
#include "runtime/session/verify.h"
#include "runtime/threads/host_profile.h"
#include "runtime/values/npy.h"
#include "runtime/values/random_inputs.h"

using namespace cppgen;
using namespace cppgen::rt;

namespace {

enum ExitCode { kOk = 0, kMismatch = 1, kUserError = 2, kInternalError = 3 };

// "NAME=VALUE"; names may hold '=', values may not.
std::pair<std::string, std::string> split_pair(const std::string& option, const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == text.npos || at == 0) user_error("{} '{}': expected NAME=VALUE", option, text);
  return {text.substr(0, at), text.substr(at + 1)};
}

Settings read_settings(const RunArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const std::string& text : arguments.settings) given.push_back(split_pair("--set", text));
  if (!arguments.threads.empty()) given.emplace_back("THREADS", arguments.threads);
  Settings settings = Settings::from_environment(process_environment(), given, SettingReader::runtime);
  apply_host_profile(settings);
  set_log_level(log_level_from_name(settings.loglevel));
  for (const std::string& warning : settings.warnings) log_warning("{}", warning);
  return settings;
}

// Files of inputs; those of parameters replace them.
std::vector<Tensor> read_inputs(const RunArguments& arguments, Session& session) {
  const Plan& plan = session.plan();
  std::map<std::string, std::string> files;
  for (const std::string& text : arguments.inputs) files.insert(split_pair("--input", text));
  std::vector<Tensor> inputs;
  for (const TensorInfo& info : plan.inputs) {
    const auto it = files.find(info.name);
    if (it == files.end()) user_error("--input {}=FILE.npy is missing", info.name);
    inputs.push_back(read_npy(it->second, info.type));
    files.erase(it);
  }
  for (const Parameter& parameter : plan.parameters)
    if (const auto it = files.find(parameter.info.name); it != files.end()) {
      session.set_parameter(it->first, read_npy(it->second, parameter.info.type).view());
      files.erase(it);
    }
  if (!files.empty()) user_error("--input: the model has no input '{}'", files.begin()->first);
  return inputs;
}

std::vector<Tensor> make_random_inputs(const RunArguments& arguments, const Plan& plan, int64_t max_memory) {
  std::map<std::string, int64_t> dims;
  for (const std::string& text : arguments.dims) {
    const auto [name, value] = split_pair("--dim", text);
    char* end = nullptr;
    dims[name] = std::strtoll(value.c_str(), &end, 10);
    if (value.empty() || *end) user_error("--dim '{}': '{}' is not an integer", text, value);
  }
  return random_inputs(plan, dims, arguments.seed, max_memory);
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

// The program that a package contains verifies the sample there, unless arguments state the inputs.
void complete_for_own_package(RunArguments& arguments) {
  constexpr int64_t kRuns = 20;
  const std::string sample = arguments.package + "/" + std::string(kStandaloneSample);
  const bool inputs_given = !arguments.inputs.empty() || !arguments.dims.empty() || arguments.seed != 0;
  if (arguments.verify.empty() && !inputs_given && std::filesystem::exists(sample)) arguments.verify = sample;
  if (arguments.runs == 0) arguments.runs = kRuns;
}

ExitCode run(const RunArguments& arguments) {
  const Settings settings = read_settings(arguments);
  Session session(Executable::load(arguments.package, LoadOptions::from(settings)), SessionOptions::from(settings));
  std::optional<TestCase> test;
  if (!arguments.verify.empty()) test = read_test_case(arguments.verify, session.plan());
  const std::vector<Tensor> inputs = test ? std::move(test->inputs)
                                     : !arguments.inputs.empty()
                                         ? read_inputs(arguments, session)
                                         : make_random_inputs(arguments, session.plan(), settings.max_memory);
  std::vector<Tensor> outputs;
  const std::vector<double> ms = time_runs(session, inputs, outputs, std::max<int64_t>(arguments.runs, 1));
  if (!arguments.output.empty()) write_test_case(arguments.output, session.plan(), inputs, outputs);
  std::optional<VerifyReport> report;
  if (test) report = compare_outputs(test->outputs, outputs, arguments.tolerance);
  const VerifyReport* verified = report ? &*report : nullptr;
  const Session& ran = session.version_for(views_of(inputs));
  const std::string printed = arguments.json ? run_report_json(ran, ms, verified) : run_report_text(ran, ms, verified);
  std::fputs(printed.c_str(), stdout);
  return report && !report->ok() ? kMismatch : kOk;
}

}  // namespace

int main(int argc, char** argv) {
  const char* program = program_invocation_short_name;
  RunArguments arguments;
  try {
    const std::string own_package = package_of_this_program();
    arguments = read_run_arguments({argv + std::min(argc, 1), argv + argc}, own_package);
    if (!own_package.empty() && arguments.package == own_package) complete_for_own_package(arguments);
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s: %s\nSee `%s --help`.\n", program, for_terminal(error.what()).c_str(), program);
    return kUserError;
  }
  if (arguments.help || arguments.version) {
    std::fputs((arguments.help ? run_help() : std::string(kVersion) + "\n").c_str(), stdout);
    return kOk;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // beyond `ulimit -f`, writing fails with an error that says so
  try {
    return run(arguments);
  } catch (const UserError& error) {
    std::fprintf(stderr, "%s: %s\n", program, for_terminal(error.what()).c_str());
    return kUserError;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory\n", program);
    return kUserError;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "%s: the system refuses what is needed: %s\n", program, for_terminal(error.what()).c_str());
    return kUserError;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "%s: internal error: %s\nThis is a bug in cppgen. Please report it to %s, with this message, the "
                 "version (%s), the command, and the package or its model.\n",
                 program, for_terminal(error.what()).c_str(), bug_report_address().c_str(),
                 std::string(kVersion).c_str());
    return kInternalError;
  }
}
