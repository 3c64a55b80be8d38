#include "runtime/session/step_label.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runtime/base/content_hash.h"
#include "runtime/base/json_text.h"
#include "runtime/package/package.h"

namespace cppgen::rt {
namespace {

constexpr size_t kHashDigits = 16;

// The outline of a module has no buffers.
std::string description(const Plan& plan, const Step& step) {
  Json buffers = Json::array();
  for (int32_t b : step.buffers) {
    if (size_t(b) >= plan.buffers.size()) continue;
    const PlanBuffer& buffer = plan.buffers[size_t(b)];
    buffers.push_back({{"name", buffer.name}, {"type", name_of(buffer.type)}, {"bytes", buffer.bytes.code}});
  }
  return json_text(Json{{"kernel", step.name},
                        {"engine", step.engine},
                        {"nodes", step.origins},
                        {"outputs", step.output_count},
                        {"buffers", std::move(buffers)}},
                   -1);
}

}  // namespace

std::vector<std::string> step_labels(const Plan& plan, std::string_view stamp, std::string_view prefix) {
  std::vector<std::string> labels;
  for (const Step& step : plan.steps) {
    if (stamp == "none") {
      labels.push_back(step.name);
      continue;
    }
    const std::string text = description(plan, step);
    labels.push_back(stamp == "json"
                         ? fmt::format("{}{}", prefix, text)
                         : fmt::format("{}{}:{}", prefix, step.name, content_hash(text).substr(0, kHashDigits)));
  }
  return labels;
}

}  // namespace cppgen::rt
