#include "cppgen/cli/minify/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/shared/child_command.h"
#include "cppgen/cli/shared/command_support.h"
#include "cppgen/cli/shared/commands.h"
#include "cppgen/support/file_io.h"
#include "cppgen/support/interruption.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

using nlohmann::json;
using End = ProcessResult::End;

// The first lines of a message of several, such as a compiler's.
std::string beginning(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

Outcome undecided(std::string text) {
  Outcome outcome;
  outcome.text = std::move(text), outcome.undecided = true;
  return outcome;
}

// A run may end later; a compilation has no limit but that of the user.
Outcome stopped(const ProcessResult& result, const json& note, double hang_seconds) {
  const bool ran = note.is_object() && note.value("stage", "") == "run";
  if (!ran)
    return undecided(
        fmt::format("the compilation did not end within {:.1f} s (if it never ends, set COMPILE_TIMEOUT_SECONDS to "
                    "what is too long)",
                    result.seconds));
  const double seconds = std::min(seconds_now() - note.value("began", seconds_now()), result.seconds);
  if (seconds < hang_seconds)
    return undecided(fmt::format("the run had {:.1f} s, and counts as endless after {:.1f} s", seconds, hang_seconds));
  Outcome outcome{Fault::crash, "hang run", fmt::format("the run did not end within {:.0f} s", seconds)};
  outcome.run_seconds = seconds;
  return outcome;
}

// Returns how a process failed: with the same kind, it is the same failure.
Outcome abnormal(const ProcessResult& result, const std::string& stage) {
  const std::string when = stage == "run" ? "the run" : "the compilation";
  if (result.end == End::signaled)
    return {Fault::crash, fmt::format("signal {} {}", result.code, stage), when + " " + result.describe()};
  const std::string text = beginning(printed_by(result));
  return {Fault::crash, fmt::format("error {} {}", result.code, stage), when + " failed: " + text};
}

Outcome of_slowest(const json& slowest) {
  if (slowest.empty()) return {};
  const double ms = slowest.at("ms").get<double>(), bound = slowest.at("bound_ms").get<double>();
  return {Fault::slow, "slow",
          fmt::format("the kernel {} takes {:.4g} ms, {:.1f} times its bound", slowest.at("kernel").get<std::string>(),
                      ms, ms / bound),
          ms / bound};
}

// Other programs took a share of the threads' time: only what that cannot explain is a fault.
Outcome of_measurement(const json& note) {
  const Outcome found = of_slowest(note.at("slowest"));
  const double other = note.value("other_programs", 0.0);
  if (found.fault == Fault::none || found.factor * (1 - other) >= (other > 0 ? 4 : 2)) return found;
  return undecided(fmt::format("{}, but other programs took {:.0f}% of the time", found.text, 100 * other));
}

Outcome classify(const ProcessResult& result, const json& note, double hang_seconds) {
  const std::string stage = note.is_object() ? note.value("stage", "") : "";
  if (result.end == End::timed_out) return stopped(result, note, hang_seconds);
  if (was_interrupted(result))
    return undecided("the trial " + result.describe() + ": " + beginning(printed_by(result)));
  if (stage == "interrupted") return undecided(beginning(note.value("error", "")));
  if (stage == "refused")
    return {Fault::compile, "compile", beginning("kernels cannot be compiled: " + note.value("error", ""))};
  if (stage == "end" && result.ok()) {
    if (note.contains("slowest")) return of_measurement(note);
    const std::string difference = note.value("differs", "");
    return difference.empty() ? Outcome{} : Outcome{Fault::differs, "differs", "results differ: " + difference};
  }
  // Models that are refused, such as those that a cut made invalid.
  const bool refused = result.end == End::exited && result.code == kUserError;
  if (refused && printed_by(result).find("CPPGEN_MAX_MEMORY") != std::string::npos)
    return undecided(beginning(printed_by(result)));
  if (refused && stage != "run") return {Fault::none, "", beginning(printed_by(result))};
  return abnormal(result, stage.empty() ? "start" : stage);
}

}  // namespace

std::string_view name_of(Fault fault) {
  constexpr std::string_view kNames[] = {"none", "crash", "compile", "differs", "slow"};
  return kNames[size_t(fault)];
}

std::vector<std::string> Trials::command(const std::string& model, const Overrides& overrides) const {
  std::vector<std::string> argv = own_command(kTrialCommand, model, options_);
  for (const auto& [name, value] : overrides) argv.push_back(option_word("--override", name + "=" + value));
  return argv;
}

Outcome Trials::run(const std::string& folder, const Overrides& overrides, bool measure, const Limits& limits) {
  const Outcome outcome = run_once(folder, overrides, measure, limits);
  return outcome.undecided && outcome.seconds < limits.seconds / 2 ? run_once(folder, overrides, measure, limits)
                                                                   : outcome;
}

Outcome Trials::run_once(const std::string& folder, const Overrides& overrides, bool measure, const Limits& limits) {
  count_++;
  const std::string note = folder_ + "/result";
  remove_tree(note);
  ProcessSpec spec;
  spec.argv = command(folder + "/model.onnx", overrides);
  spec.argv.insert(spec.argv.end(), {option_word("--data", folder), option_word("--result", note)});
  if (measure) spec.argv.push_back("--measure");
  if (options_.rtol) spec.argv.insert(spec.argv.end(), {"--rtol", fmt::format("{}", *options_.rtol)});
  if (options_.atol) spec.argv.insert(spec.argv.end(), {"--atol", fmt::format("{}", *options_.atol)});
  spec.timeout_seconds = limits.seconds;
  const ProcessResult result = run_child(spec, cancel_);
  Outcome outcome = classify(result, parse_json_or_discard(try_read_file(note).value_or("")), limits.hang_seconds);
  outcome.seconds = result.seconds;
  return outcome;
}

std::string Trials::write_values(const std::string& model, const std::string& folder, const Inputs& inputs,
                                 const Overrides& overrides, bool types, double limit_seconds) {
  ProcessSpec spec;
  spec.argv = command(model, overrides);
  const auto add = [&](const char* option, const std::string& value) {
    spec.argv.push_back(option_word(option, value));
  };
  for (const std::string& dim : inputs.dims) add("--dim", dim);
  for (const std::string& file : inputs.files) add("--input", file);
  add("--seed", std::to_string(options_.seed));
  add("--values", folder);
  if (types) spec.argv.push_back("--types");
  spec.timeout_seconds = limit_seconds;
  const ProcessResult result = run_child(spec, cancel_);
  return result.ok() ? "" : result.describe() + ": " + beginning(printed_by(result));
}

}  // namespace cppgen
