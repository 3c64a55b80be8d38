#include "cppgen/cli/repro/reproduction.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cppgen/cli/shared/command_support.h"
#include "runtime/base/json_text.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

// The part of an error that does not depend on where the compilation took place: of what a compiler of kernels printed,
// no commands, and only the names of files.
std::string comparable(const std::string& error) {
  if (error.find("\n  command: ") == error.npos) return error;
  std::istringstream lines(error);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  command: ") || line.starts_with("  source: ")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) text += word.substr(word.rfind('/') + 1) + " ";
    text += "\n";
  }
  return text;
}

bool is_same_error(const std::string& there, const std::string& here) { return comparable(there) == comparable(here); }

std::string ending_text(const std::string& error) { return error.empty() ? "no error" : error; }

std::string errors_text(const std::string& there, const std::string& here) {
  return is_same_error(there, here)
             ? fmt::format("the same error: {}\n", here)
             : fmt::format("differ:\n  trace: {}\n  here:  {}\n", ending_text(there), ending_text(here));
}

std::string kernels_text(const Reproduction& result) {
  std::string text = fmt::format("kernels: {} of {} the same\n", result.kernels - result.changed.size(),
                                 counted(int64_t(result.kernels), "source"));
  for (const std::string& name : result.changed) text += fmt::format("  {} differs\n", printable(name));
  return text;
}

bool is_same_run(const Reproduction& result, const TraceRecord& record) {
  if (!is_same_error(record.run_error, result.run_error)) return false;
  return result.has_outputs ? result.same_bits : !result.run_error.empty();
}

std::string results_text(const Reproduction& result, const TraceRecord& record) {
  if (!record.has_run) return "the trace has none (`run` records them)\n";
  if (!result.has_run) return "none, because the compilation failed\n";
  if (!record.run_error.empty() || !result.run_error.empty()) return errors_text(record.run_error, result.run_error);
  if (!result.has_outputs) return "differ: the run of the trace did not end, this one did\n";
  if (result.same_bits) return "the same bits\n";
  return result.difference.empty() ? "differ by rounding\n" : "differ: " + result.difference + "\n";
}

}  // namespace

bool is_same(const Reproduction& result, const TraceRecord& record) {
  return result.changed.empty() && is_same_error(record.compile_error, result.compile_error) &&
         (!record.has_run || (result.has_run && is_same_run(result, record)));
}

std::string repro_text(const Reproduction& result, const TraceRecord& record) {
  std::string text = fmt::format("a trace of cppgen {}, {}\n", printable(record.version), printable(record.isa));
  for (const std::string& line : result.surroundings) text += line + "\n";
  text += kernels_text(result);
  if (!record.compile_error.empty() || !result.compile_error.empty())
    text += "compilation: " + errors_text(record.compile_error, result.compile_error);
  if (record.compile_error.empty()) text += "results: " + results_text(result, record);
  return for_terminal(text) + (result.text ? pass_text_report(*result.text) : "");
}

std::string repro_json(const Reproduction& result, const TraceRecord& record) {
  Json json;
  json["version"] = record.version;
  json["isa"] = record.isa;
  json["surroundings"] = result.surroundings;
  json["sources"] = result.kernels;
  json["changed"] = result.changed;
  json["compile_error"] = {{"trace", record.compile_error}, {"here", result.compile_error}};
  json["has_run"] = result.has_run;
  json["run_error"] = {{"trace", record.run_error}, {"here", result.run_error}};
  json["same_bits"] = result.same_bits;
  json["difference"] = result.difference;
  json["same"] = is_same(result, record);
  if (result.text) json["text"] = pass_text_json(*result.text);
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
