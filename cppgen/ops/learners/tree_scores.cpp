// TreeScores: what the ensembles of trees of ai.onnx.ml become (passes/expand_tree_ensembles.cpp). Scores [rows,
// targets] of x [rows, features]. Nodes are numbered so that children come after their parents, and a leaf is its own
// child. Attributes:
//   thresholds, strict   of each node: a row takes the second link if x[feature] <= threshold (strict: <)
//   links [nodes, 4]     feature, first and second child, and which of them NaN takes
//   roots                where each tree begins
//   votes [nodes + 1]    where the votes of a leaf begin among targets and weights
//   depth, votes_of_leaf the most steps to a leaf, the most votes of one
//   targets_count        columns of the result
//   combine              of all weights of a target: 0 their sum, 1 the least, 2 the greatest; 0 if there is none
#include <cmath>

#include "cppgen/ops/library_calls.h"
#include "runtime/plan/calls/trees.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;
using rt::TreesCombine;

enum Link { kFeature, kFirst, kSecond, kMissing, kLinkParts };

const Tensor& tensor_attribute(InferContext& c, const char* name) {
  const Attribute* a = c.attribute(name);
  if (!a || !std::get_if<Tensor>(a)) c.fail(fmt::format("attribute '{}' is not a tensor", name));
  return std::get<Tensor>(*a);
}

void infer_tree_scores(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32) | bit(DType::f64));
  require_rank(c, 0, 2, 2);
  const Tensor& links = tensor_attribute(c, "links");
  const IndexExpr features = c.shape(0)[1];
  int64_t most = -1;
  for (int64_t n = 0; n < links.dims[0]; n++) {
    const auto* link = links.as<int32_t>() + n * kLinkParts;
    if (link[kFirst] != n) most = std::max<int64_t>(most, link[kFeature]);
  }
  if (features.is_constant() && features.constant() <= most)
    c.fail(fmt::format("a tree tests feature {} of {}", most, features.constant()));
  c.set_output(0, c.dtype(0), {c.shape(0)[0], c.integer("targets_count")});
}

// The greatest number of the type that still takes the second link.
double last_of(double threshold, bool strict, DType type) {
  const double below = -std::numeric_limits<double>::infinity();
  if (type == DType::f64) {
    if (strict && threshold == below) return std::nan("");
    return strict ? std::nextafter(threshold, below) : threshold;
  }
  auto rounded = float(threshold);
  const bool too_great = strict ? double(rounded) >= threshold : double(rounded) > threshold;
  if (too_great && rounded == -std::numeric_limits<float>::infinity()) return std::nan("");
  return too_great ? std::nextafterf(rounded, -std::numeric_limits<float>::infinity()) : rounded;
}

struct TreeBuffers {
  ir::BufferId thresholds, links, roots, votes, targets, weights;
};

TreeBuffers tree_buffers(LowerContext& c) {
  const DType type = c.dtype(0);
  const std::vector<double> given = numbers_of(tensor_attribute(c, "thresholds"));
  const auto* strict = tensor_attribute(c, "strict").as<uint8_t>();
  std::vector<double> thresholds;
  for (size_t n = 0; n < given.size(); n++) thresholds.push_back(last_of(given[n], strict[n] != 0, type));
  const Tensor& weights = tensor_attribute(c, "weights");
  auto constant = [&](const char* name) { return c.constant_buffer(tensor_attribute(c, name)); };
  return {c.constant_buffer(make_floats(type, {int64_t(thresholds.size())}, thresholds)),
          constant("links"),
          constant("roots"),
          constant("votes"),
          constant("targets"),
          c.constant_buffer(make_floats(type, weights.dims, numbers_of(weights)))};
}

TreesCombine combine_of_trees(InferContext& c) { return TreesCombine(c.integer("combine", 0)); }

void emit_trees_call(LowerContext& c, const TreeBuffers& b) {
  const rt::TreesCall<IndexExpr> call{c.dtype(0), c.shape(0)[0], c.shape(0)[1], c.integer("targets_count"),
                                      combine_of_trees(c)};
  c.emit(library_call(rt::kTrees, call,
                      {c.input_buffer(0), b.thresholds, b.links, b.roots, b.votes, b.targets, b.weights},
                      {c.output_buffer(0)}));
}

// leaves[row, tree]: all trees take a step at the same time, as often as the deepest needs.
ir::BufferId emit_descent(LowerContext& c, const TreeBuffers& b) {
  const Shape shape{c.shape(0)[0], c.program().buffer(b.roots).shape[0]};
  const ir::Carried node{c.temporary(DType::i32, shape), c.temporary(DType::i32, shape),
                         c.temporary(DType::i32, shape)};
  c.emit_pointwise(
      node.initial, [&](const At& at) { return load(c, b.roots, {at[1]}); }, "roots");
  ir::Repetition steps;
  steps.steps = std::max<int64_t>(1, c.integer("depth", 1));
  steps.step = c.index().step_symbol(steps.steps);
  steps.carried = {node};
  c.repeat(std::move(steps), [&] {
    c.emit_pointwise(
        node.after,
        [&](const At& at) {
          const Scalar own = load(c, node.before, at);
          auto link = [&](int64_t part) { return load_gathered(c, b.links, {IndexExpr(), part}, {{0, own}}); };
          const Scalar x = load_gathered(c, c.input_buffer(0), {at[0], IndexExpr()}, {{1, link(kFeature)}});
          const Scalar second = x <= load_gathered(c, b.thresholds, {IndexExpr()}, {{0, own}});
          const Scalar takes = second || (is_nan(x) && link(kMissing) != 0.0);
          return select(takes, link(kSecond), link(kFirst));
        },
        "step");
  });
  return node.after;
}

void emit_tree_scores(LowerContext& c, const TreeBuffers& b, ir::BufferId leaves) {
  const DType type = c.dtype(0);
  const TreesCombine combine = combine_of_trees(c);
  const IndexExpr last_vote = c.program().buffer(b.targets).shape[0] - 1;
  ir::LoopNest nest;
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({c.program().buffer(b.roots).shape[0], c.integer("votes_of_leaf", 1)}, "t");
  const At at = LowerContext::indices(nest.loops), of = LowerContext::indices(nest.reduced);
  const Scalar leaf = load(c, leaves, {at[0], of[0]});
  auto gathered = [&](ir::BufferId from, Scalar place) { return load_gathered(c, from, {IndexExpr()}, {{0, place}}); };
  const Scalar vote = gathered(b.votes, leaf).cast(DType::i64) + index_value(c, of[1]);
  const Scalar inside = vote < gathered(b.votes, leaf + 1.0).cast(DType::i64);
  const Scalar place = min(vote, index_value(c, last_vote));
  const Scalar own = inside && gathered(b.targets, place).cast(DType::i64) == index_value(c, at[1]);
  const Scalar none = combine == TreesCombine::min   ? highest(c, type)
                      : combine == TreesCombine::max ? lowest(c, type)
                                                     : number(c, type, 0);
  const ReduceOp op = combine == TreesCombine::min   ? ReduceOp::min
                      : combine == TreesCombine::max ? ReduceOp::max
                                                     : ReduceOp::sum;
  nest.reductions.push_back({op, type, select(own, gathered(b.weights, place), none)});
  nest.reductions.push_back({ReduceOp::any, DType::boolean, own});
  const Scalar score = scalar(c, c.exprs().accumulator(0, type)),
               voted = scalar(c, c.exprs().accumulator(1, DType::boolean));
  nest.stores.push_back({c.output_buffer(0), at, select(voted, score, number(c, type, 0))});
  c.emit(std::move(nest));
}

void lower_tree_scores(LowerContext& c) {
  const TreeBuffers b = tree_buffers(c);
  if (c.uses_library() && !is_zero_sized(c.output(0).shape)) return emit_trees_call(c, b);
  emit_tree_scores(c, b, emit_descent(c, b));
}

}  // namespace

std::vector<Op> tree_ops() {
  return {
      {.name = "TreeScores",
       .domain = "cppgen",
       .versions = {{1,
                     "combine:int depth:int links:tensor roots:tensor strict:tensor targets:tensor targets_count:int "
                     "thresholds:tensor votes:tensor votes_of_leaf:int weights:tensor"}},
       .inputs = 1,
       .infer = infer_tree_scores,
       .lower = lower_tree_scores},
  };
}

}  // namespace cppgen::ops
