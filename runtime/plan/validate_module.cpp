#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/plan/module.h"

namespace cppgen::rt {
namespace {

constexpr int32_t kMaxPlans = 1 << 20;

// The requirements of an operation: the number of bodies and the minimum number of inputs.
struct OpRule {
  size_t bodies, inputs;
};
constexpr OpRule kRules[] = {{0, 0}, {0, 0}, {2, 1}, {1, 2}, {1, 1}, {1, 1}};

// Checks one module field by field. A slot is defined before it is read, and once.
class ModuleValidator {
 public:
  explicit ModuleValidator(const Module& module) : module_(module), entered_(module.bodies.size()) {}

  void run() {
    if (module_.plans < 0 || module_.plans > kMaxPlans) fail("plans", "is {}", module_.plans);
    if (module_.bodies.empty()) fail("bodies", "is empty");
    for (const auto* infos : {&module_.inputs, &module_.outputs}) check_infos(*infos);
    const HostBody& main = module_.bodies[0];
    if (main.inputs != int32_t(module_.inputs.size()) || main.outputs.size() != module_.outputs.size())
      fail("bodies[0]", "has {} inputs and {} outputs, but the model has {} and {}", main.inputs, main.outputs.size(),
           module_.inputs.size(), module_.outputs.size());
    for (size_t b = 0; b < module_.bodies.size(); b++) check_body(b);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(const std::string& where, fmt::format_string<Args...> text, Args&&... args) const {
    user_error("module: {} {}", where, fmt::format(text, std::forward<Args>(args)...));
  }

  void check_infos(const std::vector<ValueInfo>& infos) const {
    for (const ValueInfo& info : infos) {
      if (info.dims.size() != info.symbols.size()) fail("'" + info.name + "'", "has dimensions that are not symbols");
      if (std::any_of(info.dims.begin(), info.dims.end(), [](int64_t d) { return d < -1; }))
        fail("'" + info.name + "'", "has a negative dimension");
      if (info.index_extent < 0) fail("'" + info.name + "'", "has index_extent {}", info.index_extent);
    }
  }

  void check_body(size_t number) {
    const HostBody& body = module_.bodies[number];
    const std::string where = fmt::format("bodies[{}]", number);
    if (body.slots < 0 || body.slots > (1 << 24) || body.inputs < 0 || body.inputs > body.slots)
      fail(where, "has {} slots and {} inputs", body.slots, body.inputs);
    std::vector<bool> defined(size_t(body.slots), false);
    std::fill_n(defined.begin(), body.inputs, true);
    for (size_t s = 0; s < body.steps.size(); s++)
      check_step(number, body.steps[s], fmt::format("{}.steps[{}]", where, s), defined);
    for (int32_t slot : body.outputs) check_read(where + ".outputs", slot, defined);
  }

  void check_read(const std::string& where, int32_t slot, const std::vector<bool>& defined) const {
    if (slot < 0 || size_t(slot) >= defined.size() || !defined[size_t(slot)])
      fail(where, "reads slot {}, which is empty", slot);
  }

  void check_step(size_t number, const HostStep& step, const std::string& where, std::vector<bool>& defined) {
    const OpRule& rule = kRules[size_t(step.op)];
    if (step.op == HostOp::plan && (step.plan < 0 || step.plan >= module_.plans))
      fail(where, "runs plan {}", step.plan);
    if (step.bodies.size() != rule.bodies || step.captures.size() != rule.bodies)
      fail(where, "has {} bodies and {} lists of captures", step.bodies.size(), step.captures.size());
    if (step.inputs.size() < rule.inputs) fail(where, "has {} inputs", step.inputs.size());
    for (int32_t slot : step.inputs)
      if (slot != -1) check_read(where, slot, defined);
    for (const auto& slots : step.captures)
      for (int32_t slot : slots) check_read(where, slot, defined);
    for (int32_t entered : step.bodies) {
      if (entered <= int32_t(number) || size_t(entered) >= module_.bodies.size() || entered_[size_t(entered)])
        fail(where, "enters body {}", entered);
      entered_[size_t(entered)] = true;
    }
    check_infos(step.results);
    for (int32_t slot : step.outputs) {
      if (slot == -1) continue;
      if (slot < 0 || size_t(slot) >= defined.size() || defined[size_t(slot)]) fail(where, "writes slot {}", slot);
      defined[size_t(slot)] = true;
    }
  }

  const Module& module_;
  std::vector<bool> entered_;
};

}  // namespace

void validate(const Module& module) { ModuleValidator(module).run(); }

}  // namespace cppgen::rt
