#include "cppgen/report/page_data.h"

#include <map>
#include <nlohmann/json.hpp>

#include "cppgen/diagram/display_text.h"
#include "cppgen/flow/explain/step_decisions.h"
#include "cppgen/report/page.h"

namespace cppgen::report {
namespace {

constexpr size_t kMostColumns = 2000;  // attributes may be long

Json steps_json(const PageContent& content) {
  const Explanation& explanation = content.explanation;
  const std::vector<std::vector<size_t>> decisions = decisions_of_steps(explanation);
  Json steps = Json::array();
  for (size_t i = 0; i < explanation.steps.size(); i++) {
    const Explanation::Step& step = explanation.steps[i];
    Json item;
    item["name"] = step.name, item["engine"] = step.engine, item["origins"] = step.origins;
    item["loops"] = step.loops, item["plan"] = step.plan, item["times"] = step.repeated;
    item["source"] = step.source, item["assembly"] = step.assembly;
    item["calls"] = step.cost.calls, item["flops"] = step.cost.flops, item["bytes"] = step.cost.bytes;
    item["constant_bytes"] = step.cost.constant_bytes;
    item["bound_us"] = step.bound ? Json(step.bound->ns() / 1e3) : Json();
    item["predicted_us"] = step.bound ? Json(step.bound->predicted_ns / 1e3) : Json();
    item["bound_by"] = step.bound ? std::string(step.bound->by()) : "";
    const bool measured = content.measurement && i < content.measurement->step_us.size();
    item["measured_us"] = measured ? Json(content.measurement->step_us[i]) : Json();
    item["decisions"] = decisions[i];
    steps.push_back(std::move(item));
  }
  return steps;
}

Json decisions_json(const Explanation& explanation) {
  Json list = Json::array();
  for (const auto& entry : explanation.decisions.entries)
    list.push_back({entry.rule, entry.decision.fused, entry.subject, entry.decision.reason});
  return list;
}

Json before_json(const Explanation& explanation) {
  std::map<std::string_view, std::vector<size_t>> steps;  // by node
  for (size_t i = 0; i < explanation.steps.size(); i++)
    for (const std::string& origin : explanation.steps[i].origins)
      if (auto& of_node = steps[origin]; of_node.empty() || of_node.back() != i) of_node.push_back(i);
  Json list = Json::array();
  for (const DrawnGraph::Node& node : explanation.before_fusion->nodes) {
    Json item;
    item["name"] = node.name, item["op"] = node.op, item["text"] = shortened(node.text, kMostColumns);
    item["inputs"] = node.inputs, item["steps"] = steps[node.name];
    list.push_back(std::move(item));
  }
  return list;
}

Json memory_json(const Explanation& explanation) {
  Json memory;
  memory["bytes"] = explanation.largest_arena();
  memory["items"] = Json::array();
  for (const Explanation::Temporary& it : explanation.temporaries)
    memory["items"].push_back({it.offset, it.bytes, it.first, it.last, it.name});
  return memory;
}

Json timeline_json(const Measurement& measurement) {
  Json timeline;
  timeline["us"] = measurement.run_us, timeline["text"] = measurement.text, timeline["lanes"] = measurement.lanes;
  timeline["slices"] = Json::array();
  for (const Measurement::Slice& it : measurement.slices)
    timeline["slices"].push_back({it.step, it.lane, it.begin_us, it.us, it.chunks});
  return timeline;
}

}  // namespace

Json page_data(const PageContent& content) {
  Json json;
  json["summary"] = content.summary;
  json["steps"] = steps_json(content);
  json["decisions"] = decisions_json(content.explanation);
  json["before"] = before_json(content.explanation);
  json["after"] = content.explanation.after_fusion->steps;
  json["memory"] = memory_json(content.explanation);
  json["timeline"] = content.measurement ? timeline_json(*content.measurement) : Json();
  return json;
}

}  // namespace cppgen::report
