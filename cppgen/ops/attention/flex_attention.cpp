// FlexAttention of ai.onnx.preview: softmax(score_mod(Q x K^T * scale)), changed by prob_mod, x V. The two are bodies
// from a tensor [batch, heads, rows, keys] to another such one; each head of K and V serves a group of Q's.
#include <cmath>

#include "cppgen/ops/attention/attention.h"
#include "cppgen/ops/control_flow/control_flow.h"
#include "cppgen/ops/normalization/softmax.h"

namespace cppgen::ops {
namespace {

using ir::AxisRole;

constexpr const char *kScoreModifier = "score_mod", *kWeightModifier = "prob_mod";

struct FlexSizes {
  IndexExpr batch, rows, keys, head_size, columns;
  int64_t heads, group;

  Shape scores() const { return {batch, heads, rows, keys}; }
};

FlexSizes flex_sizes(InferContext& c) {
  for (int i : {kQuery, kKey, kValue}) require_rank(c, i, 4, 4);
  const Shape q = c.shape(kQuery), k = c.shape(kKey), v = c.shape(kValue);
  FlexSizes s;
  s.batch = require_equal(c, q[0], require_equal(c, k[0], v[0], "the batches"), "the batches");
  s.heads = constant_dim(c, q[1], "the number of heads");
  const int64_t key_heads = constant_dim(c, k[1], "the number of heads of the keys");
  require_equal(c, v[1], key_heads, "the heads of keys and values");
  if (key_heads < 1 || s.heads % key_heads != 0)
    c.fail("the number of query heads is not a multiple of the number of key heads");
  s.group = s.heads / key_heads;
  s.rows = q[2], s.keys = require_equal(c, k[2], v[2], "the lengths of key and value");
  s.head_size = require_equal(c, q[3], k[3], "the features of query and key"), s.columns = v[3];
  return s;
}

DType precision(InferContext& c) {
  if (!c.has("softmax_precision")) return c.dtype(kQuery) == DType::f64 ? DType::f64 : DType::f32;
  const DType type = dtype_of_onnx(c, c.integer("softmax_precision"));
  if (!(bit(type) & kFloats)) c.fail(fmt::format("attribute 'softmax_precision' is {}", name_of(type)));
  return type;
}

void infer_modifier(InferContext& c, const char* name, const TensorType& type) {
  if (!c.has(name)) return;
  if (own_inputs(c, name) != 1 || c.body(name).outputs.size() != 1)
    c.fail(fmt::format("{} must have one input and one output", name));
  const Graph& body = c.infer_body(name, [&](Graph& g) {
    set_type(g.value(g.inputs[0]), {type, std::nullopt});
    set_captures(c, name, g);
  });
  const Value& result = body.value(body.outputs[0]);
  if (!result.type || result.type->dtype != type.dtype || result.type->shape.size() != type.shape.size())
    c.fail(fmt::format("{} must return the type that it takes, {}", name, to_string(type)));
  for (size_t d = 0; d < type.shape.size(); ++d)
    require_equal(c, result.type->shape[d], type.shape[d], "the input and output dimensions of a modifier");
  for (const Node& node : body.nodes)
    if (is_host(body, node) || node.facts.run_time_symbols || !bodies_of(node).empty())
      c.fail(fmt::format("{} contains {}, which cannot run in a kernel", name, node.op));
}

void infer_flex_attention(InferContext& c) {
  require_dtype(c, kQuery, kFloats);
  require_same_dtype(c, kQuery, kKey);
  require_same_dtype(c, kQuery, kValue);
  const FlexSizes s = flex_sizes(c);
  const TensorType scores{precision(c), s.scores()};
  infer_modifier(c, kScoreModifier, scores);
  infer_modifier(c, kWeightModifier, scores);
  c.number("scale", 0);
  c.set_output(0, c.dtype(kQuery), {s.batch, s.heads, s.rows, s.columns});
}

ir::BufferId modified(LowerContext& c, const char* name, ir::BufferId x) {
  if (!c.has(name)) return x;
  Graph body = deep_copy(c.body(name));
  std::vector<ir::BufferId> inputs{x};
  for (int64_t i : c.captures(name)) inputs.push_back(c.input_buffer(int(i)));
  return lower_body(body, c.program(), inputs, {.library = c.uses_library()})[0];
}

ir::BufferId emit_flex_scores(LowerContext& c, const FlexSizes& s, DType stored) {
  const DType type = ir::value_type(stored);
  const double head_size = double(constant_dim(c, s.head_size, "the features of a head"));
  const double scale = c.number("scale", float(1 / std::sqrt(std::max(head_size, 1.0))));
  ir::BufferId scores = c.temporary(stored, s.scores());
  ir::LoopNest nest;
  nest.name = "scores";
  nest.loops = c.loops(s.scores());
  nest.reduced = c.loops({s.head_size}, "k");
  nest.roles = {AxisRole::batch, AxisRole::batch, AxisRole::rows, AxisRole::columns, AxisRole::k};
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  nest.reductions.push_back({ir::ReduceOp::sum, type,
                             load_input(c, kQuery, {at[0], at[1], at[2], k}).cast(type) *
                                 load_input(c, kKey, {at[0], ir::floordiv(at[1], s.group), at[3], k}).cast(type)});
  nest.stores.push_back({scores, at, scalar(c, c.exprs().accumulator(0, type)) * scale});
  c.emit(std::move(nest));
  return scores;
}

void emit_values(LowerContext& c, const FlexSizes& s, ir::BufferId weights, DType stored) {
  const DType type = ir::value_type(stored);
  ir::LoopNest nest;
  nest.name = "values";
  nest.loops = c.loops(c.output(0).shape);
  nest.reduced = c.loops({s.keys}, "k");
  nest.roles = {AxisRole::batch, AxisRole::batch, AxisRole::rows, AxisRole::columns, AxisRole::k};
  const At at = LowerContext::indices(nest.loops);
  const IndexExpr k = nest.reduced[0].var;
  nest.reductions.push_back({ir::ReduceOp::sum, type,
                             load(c, weights, {at[0], at[1], at[2], k}) *
                                 load_input(c, kValue, {at[0], ir::floordiv(at[1], s.group), k, at[3]}).cast(type)});
  const DType result = ir::value_type(c.output(0).dtype);
  nest.stores.push_back({c.output_buffer(0), at, scalar(c, c.exprs().accumulator(0, type)).cast(result)});
  c.emit(std::move(nest));
}

void lower_flex_attention(LowerContext& c) {
  const FlexSizes s = flex_sizes(c);
  const DType stored = precision(c);
  const ir::BufferId scores = modified(c, kScoreModifier, emit_flex_scores(c, s, stored));
  const ir::BufferId weights = c.temporary(stored, s.scores());
  emit_softmax(c, AxisSplit(s.scores(), {3}), scores, weights, ir::value_type(stored));
  emit_values(c, s, modified(c, kWeightModifier, weights), stored);
}

}  // namespace

std::vector<Op> flex_attention_ops() {
  return {
      {.name = "FlexAttention",
       .domain = "ai.onnx.preview",
       .versions = {{1, "prob_mod:graph scale:float score_mod:graph softmax_precision:int"}},
       .inputs = {3, kAny},
       .infer = infer_flex_attention,
       .lower = lower_flex_attention},
  };
}

}  // namespace cppgen::ops
