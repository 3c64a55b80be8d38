#include "cppgen/flow/data/rounding.h"

#include <algorithm>

#include "cppgen/flow/data/compare.h"
#include "runtime/base/errors.h"
#include "runtime/values/compare.h"

namespace cppgen {
namespace {

template <class Check>
bool any_node(const Graph& graph, const Check& check) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    if (check(node)) return true;
    const auto bodies = bodies_of(node);
    return std::any_of(bodies.begin(), bodies.end(), [&](const auto& body) { return any_node(*body, check); });
  });
}

bool is_narrow_float(const Value& value) {
  return value.type && is_float(value.type->dtype) && size_of(value.type->dtype) < 4;
}

// The differences beyond the limits, as text; "" if there are none.
std::string difference(const std::string& name, const rt::Value& before, const rt::Value& after,
                       const RoundingLimits& limits) {
  if (!before.tensor() || !after.tensor()) {
    const std::string names[] = {name};
    const auto report =
        compare_values(names, std::span(&before, 1), std::span(&after, 1), {limits.floats, limits.floats});
    const auto wrong = std::find_if(report.outputs.begin(), report.outputs.end(), [](const auto& o) { return !o.ok; });
    return wrong == report.outputs.end() ? report.reason : wrong->reason;
  }
  rt::ExpectedOutput expected{name, rt::copy_of(before.tensor()->view()), before.tensor()->dims()};
  const rt::OutputReport report = rt::compare_output(expected, after.tensor()->view(), {limits.floats, 0});
  const bool rounded = is_int(after.tensor()->type()) && before.tensor()->dims() == after.tensor()->dims() &&
                       before.tensor()->type() == after.tensor()->type() && report.max_difference <= limits.integers;
  return report.ok || rounded ? "" : report.reason;
}

}  // namespace

bool draws_random_numbers(const Graph& graph) {
  return any_node(graph, [](const Node& node) {
    return node.op.starts_with("Random") || node.op == "Bernoulli" || node.op == "Multinomial";
  });
}

RoundingLimits rounding_limits(const Graph& graph) {
  // A value next to the middle between two quanta may become either; later operators carry that on.
  const bool quantized = any_node(graph, [](const Node& node) {
    return node.op.find("Quantize") != node.op.npos || node.op.find("QLinear") != node.op.npos;
  });
  if (quantized) return {0.1, 1};
  const bool narrow = std::any_of(graph.values.begin(), graph.values.end(), is_narrow_float);
  return {narrow ? 0x1p-5 : 1e-3, 0};
}

void require_equal(const std::string& pass, std::span<const std::string> names, std::span<const rt::Value> before,
                   std::span<const rt::Value> after, const RoundingLimits& limits) {
  check(before.size() == after.size() && names.size() == after.size(), "a pass changed the number of outputs");
  for (size_t i = 0; i < after.size(); i++) {
    const std::string text = difference(names[i], before[i], after[i], limits);
    if (!text.empty())
      internal_error("PASSES_NUMERIC_CHECK: the pass {} changes the results: output {}: {}", pass,
                     cppgen::quoted(names[i]), text);
  }
}

}  // namespace cppgen
