#include <algorithm>

#include "cppgen/graph/string_elements.h"
#include "cppgen/ir/index/expression_size.h"
#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ir/interpreter/interpreter.h"
#include "cppgen/ops/op.h"
#include "cppgen/ops/rounded_sizes.h"
#include "runtime/base/errors.h"

namespace cppgen::ops {
namespace {

void check_arity(const InferContext& c, const Op& op) {
  int inputs = c.input_count();
  if (inputs < op.inputs.least || (op.inputs.most != kAny && inputs > op.inputs.most)) {
    c.fail_invalid(fmt::format("{} inputs are given; allowed are {} to {}", inputs, op.inputs.least,
                               op.inputs.most == kAny ? "any number" : std::to_string(op.inputs.most)));
  }
  for (int i = 0; i < op.inputs.least; ++i) c.input_value(i);
  if (op.outputs != kAny && c.output_count() > op.outputs) {
    c.fail_invalid(fmt::format("{} outputs are requested; there are at most {}", c.output_count(), op.outputs));
  }
}

// Calls `visit(value, "input", i)` for each input that is present, and likewise for each output.
template <class Visit>
void visit_values(const Node& node, const Visit& visit) {
  for (const auto& [values, what] : {std::pair(&node.inputs, "input"), {&node.outputs, "output"}})
    for (size_t i = 0; i < values->size(); ++i)
      if ((*values)[i] != kNoValue) visit((*values)[i], what, i);
}

void check_narrow_types(const Graph& graph, const InferContext& c, const Op& op) {
  if (takes_narrow(op.elements)) return;
  visit_values(c.node(), [&](ValueId v, const char* what, size_t i) {
    const auto& type = graph.value(v).type;
    if (type && is_narrow(type->dtype))
      c.fail_invalid(
          fmt::format("{} {} is {}; such a type can only be converted and moved", what, i, name_of(type->dtype)));
  });
}

void check_string_types(const Graph& graph, const InferContext& c, const Op& op) {
  if (takes_strings(op.elements) || is_host(graph, c.node())) return;
  visit_values(c.node(), [&](ValueId v, const char* what, size_t i) {
    if (is_string_tensor(graph.value(v)))
      c.fail_invalid(fmt::format("{} {} is a tensor of strings, which the operator does not accept", what, i));
  });
}

bool is_small_integer(const Value& v) {
  if (!v.type || is_float(v.type->dtype) || is_string_tensor(v)) return false;
  int64_t count = 1;
  for (const IndexExpr& d : v.type->shape) {
    if (!d.is_constant() || d.constant() > kMaxKnownElements) return false;
    count *= d.constant();
    if (count > kMaxKnownElements) return false;
  }
  return true;
}

bool is_small_constant(const Value& v) { return v.constant && v.constant->elements() <= kMaxKnownElements; }

// Contents can be computed if all outputs are small integers and all inputs are known.
bool is_shape_arithmetic(const Graph& g, const Node& node) {
  for (ValueId v : node.outputs) {
    if (v != kNoValue && (!is_small_integer(g.value(v)) || g.value(v).contents)) return false;
  }
  for (ValueId v : node.inputs) {
    if (v != kNoValue && !g.value(v).contents && !is_small_constant(g.value(v))) return false;
  }
  return true;
}

void infer_contents(Graph& g, const Node& node) {
  ir::Program program = lower_node(g, node.id);
  std::vector<ir::SymbolicTensor> inputs;
  std::vector<ValueId> seen;
  for (ValueId v : node.inputs) {
    if (v == kNoValue || g.value(v).constant || std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
    seen.push_back(v);
    inputs.push_back(*g.value(v).contents);
  }
  std::optional<std::vector<ir::SymbolicTensor>> outputs;
  try {
    outputs = ir::interpret_symbolic(program, inputs, kMaxKnownElements);
  } catch (const ir::ExpressionTooLarge&) {
  }
  if (!outputs) return;
  size_t k = 0;
  for (ValueId v : node.outputs) {
    if (v != kNoValue) g.value(v).contents = std::move((*outputs)[k++]);
  }
}

// Elements that are large expressions are computed by the run.
void forget_large_contents(Graph& g, const Node& node) {
  for (ValueId v : node.outputs) {
    if (v == kNoValue || !g.value(v).contents) continue;
    const auto& contents = *g.value(v).contents;
    if (!std::all_of(contents.begin(), contents.end(), ir::is_small)) g.value(v).contents.reset();
  }
}

}  // namespace

void infer_node(Graph& g, NodeId id) {
  infer_node(g, id, [](Graph& body) { infer_types(body); });
}

void infer_node(Graph& g, NodeId id, const InferBody& infer_body) {
  const Node& node = g.nodes.at(id);
  const Op* op = find(g, node);
  InferContext c(g, node, infer_body);
  if (!op) c.fail_invalid("the operator is not supported");
  check_arity(c, *op);
  check_narrow_types(g, c, *op);
  op->infer(c);
  check_narrow_types(g, c, *op);
  check_string_types(g, c, *op);
  for (int i = 0; i < c.output_count(); ++i) {
    if (!c.has_output(i)) continue;
    const Value& output = g.value(node.outputs[i]);
    if (!output.type && !output.host) c.fail_invalid(fmt::format("output {} does not exist", i));
  }
  if (!is_host(g, node) && is_shape_arithmetic(g, node)) infer_contents(g, node);
  if (auto sizes = rounded_sizes(g, node)) g.value(node.outputs[0]).contents = std::move(*sizes);
  forget_large_contents(g, node);
}

void infer_types(Graph& g) {
  for (const Node& node : g.nodes) infer_node(g, node.id);
}

}  // namespace cppgen::ops
