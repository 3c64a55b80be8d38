#include <algorithm>
#include <numeric>

#include "cppgen/ops/op.h"
#include "cppgen/passes/canonical_rules.h"

namespace cppgen::passes {
namespace {

constexpr int kReshapeOpset = 14;  // the version with `allowzero`, which says that 0 is 0

// The shape as Reshape's second input: at most one dimension may be symbolic, and it is written -1. An extent of 0
// cannot be combined with -1.
std::optional<std::vector<int64_t>> as_constant_shape(const Shape& shape) {
  std::vector<int64_t> dims;
  int symbolic = 0, zeros = 0;
  for (const IndexExpr& d : shape) {
    symbolic += !d.is_constant();
    zeros += d.is_constant(0);
    dims.push_back(d.is_constant() ? d.constant() : -1);
  }
  if (symbolic > 1 || (symbolic == 1 && zeros > 0)) return std::nullopt;
  return dims;
}

bool is_plain_reshape(const RuleContext& c, const Node& node, const std::vector<int64_t>& dims) {
  if (node.op != "Reshape" || node.opset < kReshapeOpset || node.inputs.size() != 2) return false;
  const auto& shape = c.graph.value(node.inputs[1]).constant;
  return integer_attribute(node, "allowzero", 0) == 1 && shape && integers_of(*shape) == dims;
}

// Reinterprets `from` in the shape of the node's output. What only a run computes stays as it is written.
bool make_reshape(RuleContext& c, ValueId from) {
  if (c.node.facts.run_time_symbols) return false;
  auto dims = as_constant_shape(c.type(c.out()).shape);
  if (!dims || (is_plain_reshape(c, c.node, *dims) && c.in(0) == from)) return false;
  ValueId shape = c.graph.add_constant(c.node.name + "/shape", make_ints(*dims));
  c.node.op = "Reshape";
  c.node.opset = std::max(c.node.opset, kReshapeOpset);
  c.node.inputs = {from, shape};
  c.node.attributes = {{"allowzero", int64_t{1}}}, c.node.facts = {};
  return true;
}

bool is_reinterpretation(const Node& node) {
  return node.domain.empty() &&
         (node.op == "Reshape" || node.op == "Squeeze" || node.op == "Unsqueeze" || node.op == "Flatten");
}

// The source of a chain of reinterpretations: only the last shape counts.
bool reshape(RuleContext& c) {
  const Node* before = c.producer(0);
  const bool only_reinterprets =
      before && is_reinterpretation(*before) && !before->facts.run_time_symbols && !checks_in_run(c.graph, before->id);
  return make_reshape(c, only_reinterprets ? before->inputs[0] : c.in(0));
}

std::vector<int64_t> permutation(const RuleContext& c, const Node& node) {
  auto found = node.attributes.find("perm");
  if (found != node.attributes.end())
    if (auto* perm = std::get_if<std::vector<int64_t>>(&found->second); perm) return *perm;
  std::vector<int64_t> perm(c.type(node.inputs[0]).shape.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  return perm;
}

// Ignoring dimensions of extent 1, the order stays.
bool keeps_order(const Shape& input, const std::vector<int64_t>& perm) {
  int64_t last = -1;
  for (int64_t p : perm) {
    if (input[size_t(p)].is_constant(1)) continue;
    if (p < last) return false;
    last = p;
  }
  return true;
}

bool transpose(RuleContext& c) {
  std::vector<int64_t> perm = permutation(c, c.node);
  const Node* before = c.producer(0);
  if (before && before->op == "Transpose" && before->domain.empty()) {
    std::vector<int64_t> first = permutation(c, *before);
    for (int64_t& p : perm) p = first[size_t(p)];
    ValueId from = before->inputs[0];
    c.node.inputs[0] = from;
    c.node.attributes["perm"] = perm;
    transpose(c);
    return true;
  }
  if (std::is_sorted(perm.begin(), perm.end())) {
    c.forward(c.in(0));
    return true;
  }
  return keeps_order(c.type(c.in(0)).shape, perm) && make_reshape(c, c.in(0));
}

// Indices that are one column repeated along rows move whole rows.
bool scatter_of_rows(RuleContext& c) {
  const Node* repeated = c.producer(1);
  if (!repeated || repeated->op != "Expand" || !repeated->domain.empty()) return false;
  if (checks_in_run(c.graph, repeated->id)) return false;
  const Shape &data = c.type(c.in(0)).shape, &updates = c.type(c.in(2)).shape;
  const TensorType& column = c.type(repeated->inputs[0]);
  const bool pairs = data.size() == 2 && column.shape.size() == 2 && column.dtype == DType::i64;
  const int64_t axis = integer_attribute(c.node, "axis", 0);
  if (!pairs || (axis != 0 && axis != -2) || !same_shape(column.shape, {updates[0], 1}) ||
      !ir::prove_equal(updates[1], data[1]))
    return false;
  c.node.op = "ScatterND";
  c.node.inputs[1] = repeated->inputs[0];
  c.node.attributes.erase("axis");
  return true;
}

constexpr CanonicalRule kShapeRules[] = {{"Squeeze", reshape}, {"Unsqueeze", reshape},
                                         {"Flatten", reshape}, {"Transpose", transpose},
                                         {"Reshape", reshape}, {"ScatterElements", scatter_of_rows}};

}  // namespace

std::span<const CanonicalRule> shape_rules() { return kShapeRules; }

}  // namespace cppgen::passes
