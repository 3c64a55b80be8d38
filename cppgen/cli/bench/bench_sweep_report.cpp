#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/bench/bench_report.h"
#include "cppgen/cli/bench/bench_sweep.h"
#include "cppgen/cli/shared/command_support.h"
#include "runtime/base/printable.h"

namespace cppgen {
namespace {

using Row = std::vector<std::string>;

std::string number(double value) { return fmt::format("{:.4g}", value); }

Row heads_of(const Sweep& sweep) {
  Row heads;
  for (const SweptSetting& swept : sweep.settings) heads.push_back(swept.name);
  heads.insert(heads.end(), {"median ms", "min ms", "p90 ms", "p99 ms", "runs/s"});
  if (sweep.batch) heads.push_back("items/s");
  heads.insert(heads.end(), {"runs", "compile"});
  return heads;
}

Row row_of(const Sweep& sweep, const SweepPoint& point) {
  const RunTimes& times = point.times;
  Row row = point.values;
  for (const double ms : {times.median_ms(), times.min_ms(), times.percentile_ms(0.9), times.percentile_ms(0.99)})
    row.push_back(number(ms));
  row.push_back(number(times.runs_per_s()));
  if (sweep.batch) row.push_back(number(times.runs_per_s() * double(*sweep.batch)));
  row.push_back(std::to_string(times.seconds.size()));
  row.push_back(point.package ? "-" : seconds_text(point.compile_s) + (point.cold ? "" : " (cached)"));
  return row;
}

// Columns of equal width, right-aligned; `marked` is the row that begins with an asterisk.
std::string table_text(const std::vector<Row>& rows, size_t marked) {
  std::string text;
  for (size_t r = 0; r < rows.size(); r++) {
    text += r == marked ? "*" : " ";
    for (size_t c = 0; c < rows[r].size(); c++) {
      size_t width = 0;
      for (const Row& row : rows) width = std::max(width, row[c].size());
      text += fmt::format("  {:>{}}", rows[r][c], width);
    }
    text += "\n";
  }
  return text;
}

Json point_json(const Sweep& sweep, const SweepPoint& point) {
  Json json;
  for (size_t i = 0; i < point.values.size(); i++) json["settings"][sweep.settings[i].name] = point.values[i];
  write_times(json, point.times);
  write_rates(json, point.times, sweep.batch);
  json["compile_s"] = point.package ? Json() : Json(point.compile_s);
  json["cold"] = point.package ? Json() : Json(point.cold);
  json["arena_bytes"] = point.arena_bytes;
  json["isa"] = point.isa;
  json["threads"] = point.threads;
  return json;
}

}  // namespace

std::string sweep_text(const BenchOptions& options, const Sweep& sweep) {
  std::string text =
      fmt::format("{}: {}, {}{}\n", options.model, counted(int64_t(sweep.points.size()), "combination"),
                  counted(sweep.clients, "client"), sweep.batch ? fmt::format(", batch {}", *sweep.batch) : "");
  std::vector<Row> rows{heads_of(sweep)};
  for (const SweepPoint& point : sweep.points) rows.push_back(row_of(sweep, point));
  text += table_text(rows, sweep.best + 1);
  text += load_text(sweep.load);
  return text + fmt::format("* best by {}: {}\n", sweep.clients > 1 ? "throughput" : "median",
                            values_text(sweep, sweep.points[sweep.best]));
}

std::string sweep_json(const BenchOptions& options, const Sweep& sweep) {
  Json json;
  json["model"] = options.model;
  json["clients"] = sweep.clients;
  json["sweep"] = Json::array();
  for (const SweepPoint& point : sweep.points) json["sweep"].push_back(point_json(sweep, point));
  json["best"] = sweep.best;
  write_load(json, sweep.load);
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
