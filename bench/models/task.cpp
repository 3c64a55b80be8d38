#include "bench/models/task.h"

#include <nlohmann/json.hpp>

namespace cppgen::bench {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string to_json(const Task& t) {
  return Json{{"engine", t.engine},   {"model", t.model},   {"settings", t.settings},
              {"threads", t.threads}, {"runs", t.runs},     {"inputs", t.inputs},
              {"outputs", t.outputs}, {"copies", t.copies}, {"result", t.result}}
      .dump(2);
}

Task task_of(const std::string& text) {
  const Json j = Json::parse(text);
  return {j.at("engine"), j.at("model"),   j.at("settings"), j.at("threads"), j.at("runs"),
          j.at("inputs"), j.at("outputs"), j.at("copies"),   j.at("result")};
}

std::string to_json(const TaskResult& r) {
  return Json{{"implementation", r.implementation}, {"load_s", r.load_s}, {"seconds", r.seconds}, {"copies", r.copies}}
      .dump(2);
}

TaskResult task_result_of(const std::string& text) {
  const Json j = Json::parse(text);
  return {j.at("implementation"), j.at("load_s"), j.at("seconds"), j.at("copies")};
}

}  // namespace cppgen::bench
