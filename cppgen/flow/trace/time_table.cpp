#include "cppgen/flow/trace/time_table.h"

#include <fmt/format.h>

#include "runtime/base/printable.h"

namespace cppgen {
namespace {

std::string line(const std::string& name, double seconds, const std::string& note = "") {
  return fmt::format("  {:<38} {:>9.3f}{}{}\n", name, seconds, note.empty() ? "" : "  ", note);
}

std::string unit_line(const UnitReport& unit) {
  return line(
      "  " + unit.name, unit.seconds,
      fmt::format("{}, {}", counted(int64_t(unit.kernels), "kernel"), unit.from_cache ? "from the cache" : "compiled"));
}

}  // namespace

std::string time_table(const CompileReport& report, const std::string& model) {
  std::string text = fmt::format("seconds of the compilation of {}{}:\n", model,
                                 report.from_cache ? ", which came from the cache as a whole" : "");
  for (const auto& [stage, seconds] : report.stages) {
    text += line(stage, seconds);
    for (const StagePart& part : report.parts)
      if (part.stage == stage) text += line("  " + part.name, part.seconds);
    if (stage != "compile") continue;
    for (const UnitReport& unit : report.unit_reports) text += unit_line(unit);
  }
  return text + line("total", report.total_s);
}

}  // namespace cppgen
