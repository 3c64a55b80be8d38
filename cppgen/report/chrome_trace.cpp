#include "cppgen/report/chrome_trace.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace cppgen::report {
namespace {

constexpr int kProcess = 1;

struct LaneEvent : ChromeTrace::Event {
  Json arguments;
};

struct Lane {
  std::string name;
  std::vector<LaneEvent> events;
};

// Its number is the thread's in the file.
Json metadata(const char* kind, int lane, const char* field, const Json& value) {
  Json event;
  event["ph"] = "M", event["name"] = kind, event["pid"] = kProcess, event["tid"] = lane;
  event["args"][field] = value;
  return event;
}

Json event_json(const LaneEvent& event, int lane, double start_s) {
  const double begin = std::max(0.0, event.begin_s - start_s), end = std::max(begin, event.end_s - start_s);
  Json json;
  json["ph"] = "X", json["name"] = event.name, json["cat"] = event.category;
  json["ts"] = begin * 1e6, json["dur"] = (end - begin) * 1e6;
  json["pid"] = kProcess, json["tid"] = lane;
  if (!event.arguments.is_null()) json["args"] = event.arguments;
  return json;
}

// If two events begin together, the outer one is first.
bool is_before(const ChromeTrace::Event& a, const ChromeTrace::Event& b) {
  return a.begin_s != b.begin_s ? a.begin_s < b.begin_s : a.end_s > b.end_s;
}

}  // namespace

struct ChromeTrace::Lanes {
  std::vector<Lane> all;
};

ChromeTrace::ChromeTrace(const std::string& process) : process_(process), lanes_(std::make_unique<Lanes>()) {}
ChromeTrace::~ChromeTrace() = default;

int ChromeTrace::add_lane(const std::string& name) {
  lanes_->all.push_back({name, {}});
  return int(lanes_->all.size());
}

void ChromeTrace::add(int lane, const Event& event, const Json& arguments) {
  lanes_->all.at(size_t(lane) - 1).events.push_back({event, arguments});
}

std::string ChromeTrace::text() const {
  double start_s = std::numeric_limits<double>::max();
  for (const Lane& lane : lanes_->all)
    for (const LaneEvent& event : lane.events) start_s = std::min(start_s, event.begin_s);
  Json events = Json::array();
  events.push_back(metadata("process_name", 0, "name", process_));
  for (size_t i = 0; i < lanes_->all.size(); i++) {
    std::vector<LaneEvent> sorted = lanes_->all[i].events;
    std::stable_sort(sorted.begin(), sorted.end(), is_before);
    const int lane = int(i) + 1;
    events.push_back(metadata("thread_name", lane, "name", lanes_->all[i].name));
    events.push_back(metadata("thread_sort_index", lane, "sort_index", lane));
    for (const LaneEvent& event : sorted) events.push_back(event_json(event, lane, start_s));
  }
  Json json;
  json["displayTimeUnit"] = "ms";
  json["traceEvents"] = std::move(events);
  return json_text(json, -1) + "\n";
}

}  // namespace cppgen::report
