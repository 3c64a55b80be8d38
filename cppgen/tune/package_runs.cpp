#include "cppgen/tune/package_runs.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cppgen/support/interruption.h"
#include "runtime/base/errors.h"
#include "runtime/base/json_text.h"

namespace cppgen::tune {
namespace {

constexpr size_t kMostOutput = size_t(64) << 20;  // a profile of very many steps

// The last line that a program printed, or the error that it ended with, after a colon; empty if it printed nothing.
std::string reason_in(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  const size_t error = text.find("cppgen: internal error: ");
  if (error != text.npos) text.resize(std::min(text.find('\n', error), text.size()));
  const std::string line = text.substr(text.rfind('\n') + 1);
  return line.empty() ? "" : ": " + line;
}

// The times in what `profile --json` prints.
PackageTimes times_in(const nlohmann::json& json) {
  const double all_runs = std::max(1.0, json.at("profiled_runs").get<double>());
  PackageTimes times;
  times.run_ms = json.at("median_ms").get<double>();
  for (const auto& step : json.at("steps"))
    times.steps.push_back({step.at("origins").get<std::vector<std::string>>(),
                           step.value("ms", 0.0) * step.value("calls", 0.0) / all_runs});
  return times;
}

}  // namespace

PackageRuns::PackageRuns(std::string program, const Settings& settings, std::vector<std::string> dims,
                         const CancelToken* cancel)
    : program_(std::filesystem::canonical(program).string()),
      timeout_seconds_(double(settings.autotune_result_timeout_seconds)),
      cancel_(cancel) {
  for (std::string& dim : dims) options_.push_back("--dim=" + dim);
  for (const SettingDescription& setting : settings.describe())
    if (setting.running && setting.source == "option")
      options_.push_back(fmt::format("--set={}={}", setting.name, setting.value));
}

std::string PackageRuns::run(const std::string& command, const std::string& package,
                             const std::vector<std::string>& more) const {
  ProcessSpec spec;
  spec.argv = {program_, command, package};
  spec.argv.insert(spec.argv.end(), more.begin(), more.end());
  spec.argv.insert(spec.argv.end(), options_.begin(), options_.end());
  spec.timeout_seconds = timeout_seconds_;
  spec.max_output_bytes = kMostOutput;
  spec.environment = {{"CPPGEN_LOGLEVEL", "ERROR"}, {"CPPGEN_PROGRESS", "0"}};
  PosixProcessRunner runner;
  runner.start(spec);
  std::optional<ProcessRunner::Completion> end;
  while (!(end = runner.wait_any(0.2)))
    if (cancel_ && cancel_->cancelled()) throw Cancelled("interrupted");
  if (cancel_ && cancel_->cancelled()) throw Cancelled("interrupted");
  if (end->result.end == ProcessResult::End::exited && end->result.code == 1)
    throw PackageFailed("gives other results" + reason_in(end->result.output));
  if (!end->result.ok())
    throw PackageFailed(end->result.describe() + reason_in(end->result.output), was_interrupted(end->result));
  return std::move(end->result.output);
}

nlohmann::json PackageRuns::measured(const std::string& command, const std::string& package, int runs) const {
  const std::string text = run(command, package, {"--json", "--any-load", "--runs", std::to_string(runs)});
  return parse_json_or_discard(text.substr(std::min(text.find('{'), text.size())));
}

double PackageRuns::run_ms(const std::string& package, int runs) const {
  try {
    return measured("bench", package, runs).at("median_ms").get<double>();
  } catch (const nlohmann::json::exception&) {
    throw PackageFailed("printed no times");
  }
}

PackageTimes PackageRuns::times(const std::string& package, int runs) const {
  try {
    return times_in(measured("profile", package, runs));
  } catch (const nlohmann::json::exception&) {
    throw PackageFailed("printed no profile");
  }
}

void PackageRuns::record(const std::string& package, const std::string& folder) const {
  run("run", package, {"--output", folder});
}

void PackageRuns::verify(const std::string& package, const std::string& folder) const {
  run("verify", package, {folder});
}

}  // namespace cppgen::tune
