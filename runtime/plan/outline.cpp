#include <algorithm>
#include <limits>
#include <unordered_set>

#include "runtime/base/errors.h"
#include "runtime/plan/calls/host_sequences.h"
#include "runtime/plan/host_fields.h"
#include "runtime/plan/module.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kUnbound = std::numeric_limits<int32_t>::max();
constexpr std::string_view kHostOpNames[] = {"plan", "function", "if", "loop", "scan", "map"};

constexpr int64_t kSomeKeys = 16;

// Keys that a step gives a meaning to, each once; none if it takes no map.
std::vector<std::string> keys_of_map(const HostStep& step) {
  std::vector<std::string> keys;
  if (step.op != HostOp::function) return keys;
  if (step.function == "cast_map") {
    const int64_t size = fields_of<CastMapCall>(step).size;
    for (int64_t k = 0; k < (size < 0 ? kSomeKeys : std::min(size, kSomeKeys)); k++)
      keys.push_back(fmt::format("{}", k));
  }
  if (step.function != "map_by_vocabulary") return keys;
  KeysCall vocabulary = fields_of<KeysCall>(step);
  keys = std::move(vocabulary.texts);
  for (const int64_t key : vocabulary.integers) keys.push_back(fmt::format("{}", key));
  std::unordered_set<std::string> seen;
  std::erase_if(keys, [&](const std::string& key) { return !seen.insert(key).second; });
  return keys;
}

class Outline {
 public:
  explicit Outline(const Module& module) {
    plan_.model = module.model, plan_.isa = module.isa;
    for (size_t i = 0; i < module.inputs.size(); i++) plan_.inputs.push_back(tensor_of(module.inputs[i], int32_t(i)));
    plan_.bounds = module.bounds;
    for (const ValueInfo& info : module.outputs) plan_.outputs.push_back(tensor_of(info, -1));
    if (!module.bodies.empty())
      for (const HostStep& step : module.bodies[0].steps) note_map_keys(step);
  }

  Plan run(const Module& module, const std::vector<const Plan*>& plans) {
    plan_.has_costs = std::all_of(plans.begin(), plans.end(), [](const Plan* part) { return part->has_costs; });
    for (const Plan* part : plans) {
      plan_.steps.insert(plan_.steps.end(), part->steps.begin(), part->steps.end());
      plan_.weights_bytes += part->weights_bytes;
    }
    for (const HostBody& body : module.bodies)
      for (const HostStep& step : body.steps)
        if (step.op != HostOp::plan) plan_.steps.push_back(host_step(step));
    return std::move(plan_);
  }

 private:
  Plan plan_;

  // The number of the symbol of this name; "" is one of its own. Of outputs one that no input binds is kUnbound.
  int64_t symbol(const std::string& name, int32_t input, size_t axis) {
    for (size_t i = 0; i < plan_.symbols.size(); i++)
      if (!name.empty() && plan_.symbols[i].name == name) return int64_t(i);
    if (input < 0) return kUnbound;
    plan_.symbols.push_back({name.empty() ? "?" : name, input, int32_t(axis)});
    return int64_t(plan_.symbols.size()) - 1;
  }

  TensorInfo tensor_of(const ValueInfo& info, int32_t input) {
    TensorInfo tensor{info.name, info.type, {}, info.index_extent, info.kind};
    tensor.ranked = info.ranked;
    for (size_t d = 0; d < info.dims.size() && info.kind <= ValueKind::strings; d++)
      tensor.dims.push_back(info.dims[d] >= 0 ? DimExpr::of(info.dims[d])
                                              : DimExpr{{int64_t(DimOp::symbol), symbol(info.symbols[d], input, d)}});
    return tensor;
  }

  void note_map_keys(const HostStep& step) {
    if (step.inputs.empty() || step.inputs[0] < 0 || size_t(step.inputs[0]) >= plan_.inputs.size()) return;
    if (auto keys = keys_of_map(step); !keys.empty()) plan_.inputs[size_t(step.inputs[0])].map_keys = std::move(keys);
  }

  static Step host_step(const HostStep& step) {
    Step shown;
    shown.kind = StepKind::library;
    shown.name = step.op == HostOp::function ? step.function : std::string(kHostOpNames[size_t(step.op)]);
    shown.engine = kHostEngine;
    shown.origins = {step.node};
    return shown;
  }
};

}  // namespace

Plan outline_of(const Module& module, const std::vector<const Plan*>& plans) {
  return Outline(module).run(module, plans);
}

}  // namespace cppgen::rt
