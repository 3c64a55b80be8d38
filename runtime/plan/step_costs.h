#pragma once

namespace cppgen::rt {

// Estimates of what one call of a step executes and moves, for predictions of its time in profiles and explanations.
// Nothing that runs depends on them, so a package has them in a file of their own (costs.json), which may be missing or
// of another version. Operations are those of vectors. Amounts are expressions in a plan, else numbers.
template <class Amount>
struct StepCosts {
  Amount products{};           // multiply-adds that execute Step::flops, with padding
  Amount multi_instruction{};  // operations of several instructions, as multiply-adds that take as long
  Amount functions{};          // what divisions and functions among them take at least, as multiply-adds
  Amount instructions{};       // all others
  Amount exchanged{};          // bytes that caches of other threads hold
};

// Calls visit(name, amount ...) for each amount, with that of all these costs.
template <class Visit, class... Costs>
void each_cost(const Visit& visit, Costs&... costs) {
  visit("products", costs.products...);
  visit("compounds", costs.multi_instruction...);
  visit("functions", costs.functions...);
  visit("instructions", costs.instructions...);
  visit("exchanged", costs.exchanged...);
}

}  // namespace cppgen::rt
