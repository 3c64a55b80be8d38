#include "cppgen/schedule/costs.h"

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "cppgen/schedule/number_list.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {
namespace {

constexpr Costs kUsual;

using Member = std::variant<int64_t Costs::*, double Costs::*>;
constexpr std::pair<std::string_view, Member> kRows[] = {
#define CPPGEN_COST(type, name, value, unit, text, source) {#name, &Costs::name},
#include "cppgen/schedule/costs.def"
};

NumberList number_list() {
  NumberList list{"COSTS", "cppgen/schedule/costs.def", kMostCostFactor, {}};
  for (const auto& [name, member] : kRows)
    std::visit(
        [&](auto m) {
          list.numbers.push_back({name, std::is_same_v<decltype(m), int64_t Costs::*>, double(kUsual.*m)});
        },
        member);
  return list;
}

}  // namespace

const Costs& costs_of(const Target& target) { return target.costs ? *target.costs : kUsual; }

Costs costs_with(std::string_view text) {
  Costs costs;
  for (const auto& [row, value] : read_numbers(number_list(), text))
    std::visit([&](auto m) { costs.*m = std::remove_reference_t<decltype(costs.*m)>(value); }, kRows[row].second);
  return costs;
}

std::string unusual_costs(const Costs& costs) {
  std::string text;
  for (const auto& [name, member] : kRows)
    std::visit(
        [&](auto m) {
          if (costs.*m != kUsual.*m) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, costs.*m);
        },
        member);
  return text;
}

}  // namespace cppgen::schedule
