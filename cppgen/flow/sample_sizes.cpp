#include "cppgen/flow/sample_sizes.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen {
namespace {

// By its name (IndexArena::fresh_symbol).
bool is_known_only_to_a_run(const rt::Symbol& symbol) { return symbol.name.find('#') != symbol.name.npos; }

bool holds(const rt::Plan& plan, const std::vector<int64_t>& symbols) {
  try {
    for (const rt::PlanBuffer& buffer : plan.buffers)
      if (rt::evaluate(buffer.bytes, symbols) < 0) return false;
    return std::all_of(plan.bounds.begin(), plan.bounds.end(), [&](const rt::Bound& bound) {
      return rt::evaluate(bound.least, symbols) <= rt::evaluate(bound.most, symbols);
    });
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

SampleSizes sample_sizes(const rt::Plan& plan) {
  constexpr int64_t kSizes[] = {64, 32, 16, 8, 4, 2, 1, 128};
  SampleSizes sizes;
  for (const int64_t size : kSizes) {
    sizes = {size, {}};
    for (const rt::Symbol& symbol : plan.symbols) sizes.symbols.push_back(is_known_only_to_a_run(symbol) ? 1 : size);
    if (holds(plan, sizes.symbols)) break;
  }
  sizes.symbols.resize(plan.symbols.size() + plan.repetitions.size());
  return sizes;
}

}  // namespace cppgen
