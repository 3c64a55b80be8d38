// Operators that move elements: views if strides can express them, else reorders and concatenations.
#include <algorithm>
#include <numeric>

#include "cppgen/baseline/primitives.h"
#include "cppgen/ops/common.h"

namespace cppgen::baseline {
namespace {

const Node& main_node(Builder& b, const Unit& unit) { return b.node(unit.nodes[0]); }

// `extent` positions of an axis from `begin` on.
Operand part(const Operand& operand, size_t axis, int64_t begin, int64_t extent) {
  Dims dims = dims_of(operand.desc);
  const Dims strides = strides_of(operand.desc);
  dims[axis] = extent;
  return {with_strides(dims, strides), operand.buffer, operand.offset + begin * strides[axis] * int64_t(sizeof(float))};
}

std::vector<int64_t> ints(ops::InferContext& c, int input, const char* attribute, std::vector<int64_t> otherwise) {
  if (c.has(attribute)) return c.integers(attribute);
  if (!c.has_input(input)) return otherwise;
  const Tensor* tensor = c.constant(input);
  if (!tensor) throw Refusal{"no constant"};
  return integers_of(*tensor);
}

}  // namespace

// Reshape, Flatten, Squeeze, Unsqueeze, Identity.
void map_reshape(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  b.set(node.outputs[0], b.viewed(b.get(node.inputs[0]), b.dims(node.outputs[0])));
}

void map_transpose(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  ops::InferContext c(b.graph(), node);
  Operand operand = b.plain(b.get(node.inputs[0]));
  std::vector<int64_t> reversed(dims_of(operand.desc).size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto axes = c.integers("perm", reversed);
  operand.desc = permuted(operand.desc, std::vector<int>(axes.begin(), axes.end()));
  b.set(node.outputs[0], operand);
}

void map_slice(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  ops::InferContext c(b.graph(), node);
  const int rank = int(c.shape(0).size());
  const auto starts = ints(c, 1, "starts", {});
  std::vector<int64_t> all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  const auto axes = ints(c, 3, "axes", all), steps = ints(c, 4, "steps", std::vector<int64_t>(starts.size(), 1));
  const Dims out = b.dims(node.outputs[0]);
  Operand operand = b.plain(b.get(node.inputs[0]));
  for (size_t i = 0; i < starts.size(); i++) {
    if (steps[i] != 1) throw Refusal{"steps"};
    const auto axis = size_t(ops::normalized_axis(c, axes[i], rank));
    const int64_t extent = dims_of(operand.desc)[axis];
    const int64_t begin = std::clamp<int64_t>(starts[i] < 0 ? starts[i] + extent : starts[i], 0, extent);
    operand = part(operand, axis, begin, out[axis]);
  }
  b.set(node.outputs[0], operand);
}

void map_split(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  ops::InferContext c(b.graph(), node);
  const auto axis = size_t(ops::normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size())));
  const Operand operand = b.plain(b.get(node.inputs[0]));
  int64_t begin = 0;
  for (ValueId out : node.outputs) {
    if (out == kNoValue) throw Refusal{"an absent output"};
    const int64_t extent = b.dims(out)[axis];
    b.set(out, part(operand, axis, begin, extent));
    begin += extent;
  }
}

// One position along an axis is a view.
void map_gather(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  ops::InferContext c(b.graph(), node);
  const Tensor* index = c.constant(1);
  if (!index || index->elements() != 1) throw Refusal{"many positions"};
  const auto axis = size_t(ops::normalized_axis(c, c.integer("axis", 0), int(c.shape(0).size())));
  const Operand operand = b.plain(b.get(node.inputs[0]));
  const int64_t extent = dims_of(operand.desc)[axis], given = integers_of(*index)[0];
  const int64_t position = given < 0 ? given + extent : given;
  if (position < 0 || position >= extent) throw Refusal{"a position outside"};
  b.set(node.outputs[0], b.viewed(part(operand, axis, position, 1), b.dims(node.outputs[0])));
}

void map_concat(Builder& b, const Unit& unit) {
  const Node& node = main_node(b, unit);
  ops::InferContext c(b.graph(), node);
  const int axis = ops::normalized_axis(c, c.integer("axis"), int(c.shape(0).size()));
  // The result's axes are in the order of those of the first operand.
  const std::vector<int> order = order_of(b.dense(b.get(node.inputs[0])).desc);
  const Desc dst = dense_in_order(b.dims(node.outputs[0]), order);
  std::vector<Desc> descs;
  std::vector<std::pair<int, Operand>> arguments;
  for (ValueId in : node.inputs) {
    const Operand operand = b.laid_out(b.get(in), dense_in_order(b.dims(in), order));
    arguments.emplace_back(DNNL_ARG_MULTIPLE_SRC + int(descs.size()), operand);
    descs.push_back(operand.desc);
  }
  const PostOps post = post_ops_of(b, unit, dst);
  const auto pd = onednn::concat(b.engine(), post.attributes, dst, axis, descs);
  finish<dnnl::concat>(b, unit, "concat", pd, post, std::move(arguments), dst);
}

}  // namespace cppgen::baseline
