#include <nlohmann/json.hpp>

#include "cppgen/cli/bench/bench_report.h"
#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/cli/profile/profile_report.h"
#include "runtime/base/json_text.h"

namespace cppgen {
namespace {

Json thread_times(const ModelProfile& profile, const ThreadTimes& times) {
  Json list = Json::array();
  for (const auto& [id, thread] : times) {
    Json item;
    item["thread"] = id;
    item["busy_ms"] = profile.busy_ms(thread);
    item["chunks"] = profile.chunks(thread);
    list.push_back(std::move(item));
  }
  return list;
}

void write_threads(Json& json, const ModelProfile& profile) {
  json["imbalance"] = profile.imbalance();
  json["thread_times"] = thread_times(profile, profile.threads);
  for (Json& thread : json["thread_times"]) thread["share"] = profile.busy_share(profile.threads.at(thread["thread"]));
  json["counters"] = profile.counts.empty() ? Json() : Json::object();
  for (const HardwareCounters::Count& count : profile.counts)
    json["counters"][count.name] = count.value / double(profile.runs);
  if (profile.counts.empty()) json["no_counters"] = profile.no_counts;
}

Json peaks_json(const MachinePeaks& peaks) {
  Json json;
  json["gflops_per_s"] = peaks.gflops;
  json["loads_per_ns"] = peaks.loads_per_ns;
  json["under_load"] = peaks.under_load;
  json["levels"] = Json::array();
  for (const MachinePeaks::Level& level : peaks.levels) {
    Json item;
    item["name"] = level.name;
    item["bytes"] = level.bytes ? Json(level.bytes) : Json();
    item["gb_per_s"] = level.gb_per_second;
    json["levels"].push_back(std::move(item));
  }
  if (peaks.threads > 1)
    json["between_threads"] = {{"gb_per_s", peaks.exchange_gb_per_second},
                               {"far_gb_per_s", peaks.far_exchange_gb_per_second},
                               {"round_trip_ns", peaks.round_trip_ns}};
  return json;
}

Json onednn_json(const OnednnTimes& times) {
  Json json;
  json["median_ms"] = times.median_ms;
  json["runs"] = times.runs;
  json["other_ms"] = times.other_ms;
  json["regions"] = Json::array();
  for (const OnednnTimes::Region& region : times.regions) {
    Json item;
    item["steps"] = region.steps;
    item["ms"] = region.ms;
    json["regions"].push_back(std::move(item));
  }
  return json;
}

void write_step(Json& json, const ModelProfile& profile, size_t i) {
  json["share"] = profile.total_ms() > 0 ? profile.step_ms(i) / profile.total_ms() : 0;
  json["chunks"] = profile.chunks_of(i);
  json["imbalance"] = profile.imbalance(i);
  json["thread_times"] = thread_times(profile, profile.step_threads[i]);
  if (profile.onednn) {
    const auto region = profile.onednn->region_of_step[i];
    json["onednn_region"] = region ? Json(*region) : Json();
  }
  if (!profile.peaks || profile.bounds[i].ns() == 0) return;
  json["bound_ms"] = profile.bounds[i].ns() / 1e6;
  json["bound_by"] = profile.bounds[i].by();
  json["predicted_ms"] = profile.bounds[i].predicted_ns / 1e6;
  const StepCost cost = cost_of_call(profile.model.plan(), i, profile.steps[i]);
  json["cost"]["flops"] = cost.flops;
  json["cost"]["products"] = cost.products;
  json["cost"]["compounds"] = cost.multi_instruction;
  json["cost"]["instructions"] = cost.instructions;
  json["cost"]["functions"] = cost.functions;
  json["cost"]["bytes"] = cost.bytes;
  json["cost"]["exchanged_bytes"] = cost.exchanged;
  json["cost"]["constant_bytes"] = cost.constant_bytes;
  json["cost"]["chunks"] = cost.chunks;
}

}  // namespace

std::string profile_json(const ProfileOptions& options, const ModelProfile& profile) {
  Json json;
  json["model"] = options.model;
  write_target(json, profile.model);
  json["runs"] = profile.times.seconds.size();
  json["profiled_runs"] = profile.runs;
  json["median_ms"] = profile.times.median_ms();
  json["min_ms"] = profile.times.min_ms();
  json["steps_ms"] = profile.total_ms();
  write_load(json, profile.load);
  write_threads(json, profile);
  if (profile.onednn) json["onednn"] = onednn_json(*profile.onednn);
  json["peaks"] = profile.peaks ? peaks_json(*profile.peaks) : Json();
  write_steps(json, profile.model.plan(), profile.steps, profile.model.chosen->labels());
  for (size_t i = 0; i < profile.steps.size(); i++) write_step(json["steps"][i], profile, i);
  return json_text(json, 2) + "\n";
}

}  // namespace cppgen
