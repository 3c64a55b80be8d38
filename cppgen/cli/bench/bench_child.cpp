#include "cppgen/cli/bench/bench_child.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cppgen/cli/bench/bench_runs.h"
#include "cppgen/cli/shared/child_command.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/cli/shared/ready_run.h"
#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

constexpr int kRuns = 3;

std::vector<std::string> command_of(const BenchOptions& options, const Settings& settings, const std::string& result) {
  std::vector<std::string> argv = own_command(kMeasureCommand, options.model, options);
  const auto add = [&](const char* option, const std::string& value) { argv.push_back(option_word(option, value)); };
  add("--result", result), add("--seed", std::to_string(options.seed));
  for (const std::string& dim : options.dims) add("--dim", dim);
  for (const std::string& state : options.states) add("--state", state);
  for (const std::string& sizes : options.sizes) add("--sizes", sizes);
  for (const std::string& input : options.inputs) add("--input", input);
  if (options.reference) argv.push_back("--reference");
  add("--cache", settings.cache_dir);
  return argv;
}

FreshProcess parse_report(const std::string& text) {
  FreshProcess result;
  long long kb = 0;
  if (std::sscanf(text.c_str(), "load_s %lf\npeak_rss_kb %lld\n", &result.load_s, &kb) != 2)
    internal_error("bench: the measuring process wrote '{}'", text);
  result.peak_rss_kb = kb;
  return result;
}

// VmHWM: unlike getrusage's maximum it does not include what the process was before exec.
int64_t peak_rss_kb() {
  const std::string status = read_file("/proc/self/status");
  const size_t at = status.find("VmHWM:");
  check(at != status.npos, "bench: /proc/self/status has no VmHWM");
  return std::strtoll(status.c_str() + at + std::strlen("VmHWM:"), nullptr, 10);
}

// Its own user errors are the user's here, too: without a cache it compiles again.
[[noreturn]] void report_failure(const ProcessResult& result) {
  const std::string output = printed_by(result);
  if (result.end == ProcessResult::End::exited && result.code == kUserError)
    user_error("bench: measuring in a fresh process failed: {}", output);
  internal_error("bench: the measuring process {}: {}", result.describe(), output);
}

}  // namespace

FreshProcess measure_in_fresh_process(const BenchOptions& options, const Settings& settings,
                                      const CancelToken& cancel) {
  const TempDirectory directory(system_temp_directory(), "cppgen-measure.");
  const std::string result = directory.path() + "/result";
  ProcessSpec spec;
  spec.argv = command_of(options, settings, result);
  const ProcessResult end = run_child(spec, cancel);
  if (!end.ok()) report_failure(end);
  return parse_report(read_file(result));
}

ExitCode command_measure(const MeasureOptions& options, const CancelToken& cancel) {
  Settings settings = read_settings(options);
  settings.cache_dir = options.cache;
  // The process that measures speed has compiled the model anew and has written these files.
  settings.recompile = settings.save_args = false;
  settings.profile_output.clear();
  const ReadyRun run = open_run(options, settings, cancel);
  TimedModel timed(run.model, run.inputs);
  if (!run.model.reference)
    for (int i = 1; i < kRuns; i++) timed.run();
  const std::string text = fmt::format("load_s {}\npeak_rss_kb {}\n", run.model.open_s, peak_rss_kb());
  if (const int error = write_file(options.result, text))
    user_error("cannot write '{}': {}", options.result, error_text(error));
  return kDone;
}

}  // namespace cppgen
