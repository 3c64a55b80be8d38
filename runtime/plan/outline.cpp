#include <limits>

#include "runtime/base/errors.h"
#include "runtime/plan/module.h"

namespace cppgen::rt {
namespace {

constexpr int64_t kUnbound = std::numeric_limits<int32_t>::max();
constexpr std::string_view kHostOpNames[] = {"plan", "function", "if", "loop", "scan", "map"};

class Outline {
 public:
  explicit Outline(const Module& module) {
    plan_.model = module.model, plan_.isa = module.isa;
    for (size_t i = 0; i < module.inputs.size(); i++) plan_.inputs.push_back(tensor_of(module.inputs[i], int32_t(i)));
    plan_.bounds = module.bounds;
    for (const ValueInfo& info : module.outputs) plan_.outputs.push_back(tensor_of(info, -1));
  }

  Plan run(const Module& module, const std::vector<const Plan*>& plans) {
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
    for (size_t d = 0; d < info.dims.size() && info.kind <= ValueKind::strings; d++)
      tensor.dims.push_back(info.dims[d] >= 0 ? DimExpr::of(info.dims[d])
                                              : DimExpr{{int64_t(DimOp::symbol), symbol(info.symbols[d], input, d)}});
    return tensor;
  }

  static Step host_step(const HostStep& step) {
    Step shown;
    shown.kind = StepKind::library;
    shown.name = step.op == HostOp::function ? step.function : std::string(kHostOpNames[size_t(step.op)]);
    shown.engine = "host";
    shown.origins = {step.origin};
    return shown;
  }
};

}  // namespace

Plan outline_of(const Module& module, const std::vector<const Plan*>& plans) {
  return Outline(module).run(module, plans);
}

}  // namespace cppgen::rt
