#include "runtime/plan/size_conditions.h"

#include <algorithm>
#include <set>

#include "runtime/base/errors.h"

namespace cppgen::rt {
namespace {

class Collector {
 public:
  SizeConditions take() { return std::move(result_); }

  void add(const Plan& plan) {
    number_.clear();
    for (const Symbol& symbol : plan.symbols) number_.push_back(number_of(symbol.name));
    for (const Bound& bound : plan.bounds) add(bound.least, bound.most);
    for (const PlanBuffer& buffer : plan.buffers) add_size(buffer.bytes);
    for (const auto* tensors : {&plan.inputs, &plan.outputs})
      for (const TensorInfo& tensor : *tensors)
        std::for_each(tensor.dims.begin(), tensor.dims.end(), [&](auto& d) { add_size(d); });
    for (const Repetition& repetition : plan.repetitions) add_size(repetition.steps);
  }

 private:
  SizeConditions result_;
  std::vector<int64_t> number_;  // of each symbol of the plan among all
  std::set<std::pair<std::vector<int64_t>, std::vector<int64_t>>> seen_;

  int64_t number_of(const std::string& name) {
    auto& names = result_.names;
    const auto position = std::find(names.begin(), names.end(), name) - names.begin();
    if (size_t(position) == names.size()) names.push_back(name);
    return position;
  }

  void add_size(const DimExpr& size) { add(DimExpr::of(0), size); }

  void add(DimExpr least, DimExpr most) {
    std::set<size_t> symbols;
    if (!renumber(least, symbols) || !renumber(most, symbols) || symbols.empty()) return;
    if (!seen_.emplace(least.code, most.code).second) return;
    result_.all.push_back({std::move(least), std::move(most), {symbols.begin(), symbols.end()}});
  }

  // False if it depends on the step of a repetition or on a dimension that only a run knows, beyond the symbols.
  bool renumber(DimExpr& expr, std::set<size_t>& symbols) const {
    for (size_t i = 0; i < expr.code.size(); i++) {
      const auto op = DimOp(expr.code[i]);
      if (op == DimOp::constant || op == DimOp::symbol) i++;
      if (op != DimOp::symbol) continue;
      if (i >= expr.code.size() || expr.code[i] < 0 || size_t(expr.code[i]) >= number_.size()) return false;
      expr.code[i] = number_[size_t(expr.code[i])];
      symbols.insert(size_t(expr.code[i]));
    }
    return !expr.code.empty();
  }
};

}  // namespace

SizeConditions size_conditions(std::span<const Plan* const> plans) {
  Collector collector;
  for (const Plan* plan : plans) collector.add(*plan);
  return collector.take();
}

double violation(const SizeCondition& condition, std::span<const int64_t> sizes) {
  constexpr double kVeryFar = 1e20;
  try {
    return std::max(0.0, double(evaluate(condition.least, sizes)) - double(evaluate(condition.most, sizes)));
  } catch (const UserError&) {
    return kVeryFar;
  }
}

}  // namespace cppgen::rt
