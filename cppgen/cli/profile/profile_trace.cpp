#include "cppgen/cli/profile/profile_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cppgen/cli/profile/model_profile.h"
#include "cppgen/report/chrome_trace.h"

namespace cppgen {
namespace {

using report::ChromeTrace;

void add_compilation(ChromeTrace& trace, const CompileReport& report) {
  const int lane = trace.add_lane("compile");
  for (const StageSpan& span : report.spans)
    trace.add(lane,
              {span.part.empty() ? span.stage : span.part, span.part.empty() ? "stage" : "pass", span.begin, span.end},
              Json());
  // There are as many lanes as compilers ran at the same time.
  std::vector<UnitReport> units = report.unit_reports;
  std::erase_if(units, [](const UnitReport& unit) { return unit.from_cache; });
  std::sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<std::pair<int, double>> lanes;  // with the end of their last unit
  for (const UnitReport& unit : units) {
    auto free = std::find_if(lanes.begin(), lanes.end(), [&](const auto& it) { return it.second <= unit.begin; });
    if (free == lanes.end())
      free = lanes.insert(lanes.end(), {trace.add_lane(fmt::format("compiler {}", lanes.size() + 1)), 0});
    free->second = unit.begin + unit.seconds;
    trace.add(free->first, {unit.name, "unit", unit.begin, free->second}, {{"kernels", unit.kernels}});
  }
}

void add_runs(ChromeTrace& trace, const ModelProfile& profile) {
  const int runs = trace.add_lane("run");
  std::map<int, int> lanes;  // by thread
  for (const auto& [thread, time] : profile.threads) lanes[thread] = trace.add_lane(fmt::format("thread {}", thread));
  const rt::Plan& plan = profile.model.plan();
  const std::vector<std::string>& labels = profile.model.chosen->labels();
  for (size_t r = 0; r < profile.recorded.size(); r++) {
    const RecordedRun& run = profile.recorded[r];
    trace.add(runs, {fmt::format("run {}", r + 1), "run", run.begin_s, run.end_s}, Json());
    for (const rt::TraceSlice& slice : run.slices) {
      const rt::Step& step = plan.steps[slice.step];
      auto lane = lanes.find(slice.thread);
      if (lane == lanes.end())
        lane = lanes.emplace(slice.thread, trace.add_lane(fmt::format("thread {}", slice.thread))).first;
      trace.add(lane->second,
                {labels[slice.step], step.engine, double(slice.begin_ns) / 1e9, double(slice.end_ns) / 1e9},
                {{"step", slice.step}, {"chunk", slice.chunk}, {"nodes", step.origins}});
    }
  }
}

}  // namespace

std::string profile_trace(const ModelProfile& profile) {
  ChromeTrace trace("cppgen " + profile.model.path);
  const CompiledModel& compiled = profile.model.compiled;
  if (!profile.model.package) add_compilation(trace, compiled.report);
  const int load = trace.add_lane("load");
  const double begin = profile.model.load_begin_s;
  trace.add(load, {"load", "load", begin, begin + profile.model.load_s}, Json());
  add_runs(trace, profile);
  return trace.text();
}

}  // namespace cppgen
