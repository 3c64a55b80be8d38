#include <algorithm>

#include "cppgen/ops/attention/attention.h"
#include "cppgen/ops/normalization/softmax.h"

namespace cppgen::ops {

using ir::AxisRole;

namespace {

Shape score_shape(const AttentionSizes& s) { return {s.batch, s.key_heads, s.group, s.rows, s.keys}; }

IndexExpr head_of(const AttentionSizes& s, IndexExpr key_head, IndexExpr member) { return key_head * s.group + member; }

ir::BufferId emit_attention_scores(LowerContext& c, const AttentionSpec& a, DType type) {
  const AttentionSizes& s = a.sizes;
  ir::BufferId scores = c.temporary(type, score_shape(s));
  ir::LoopNest nest;
  nest.name = "scores";
  nest.loops = c.loops(score_shape(s));
  nest.reduced = c.loops({s.head_size}, "k");
  nest.roles = {AxisRole::batch, AxisRole::batch, AxisRole::batch, AxisRole::rows, AxisRole::columns, AxisRole::k};
  const auto at = LowerContext::indices(nest.loops);
  const IndexExpr d = nest.reduced[0].var;
  nest.reductions.push_back(
      {ir::ReduceOp::sum, type,
       a.query(at[0], head_of(s, at[1], at[2]), at[3], d).cast(type) * a.key(at[0], at[1], at[4], d).cast(type)});
  nest.stores.push_back({scores, at, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
  return scores;
}

void emit_copy(LowerContext& c, const AttentionSizes& s, ir::BufferId from, ir::BufferId to, const char* name) {
  ir::LoopNest nest;
  nest.name = name;
  nest.loops = c.loops(score_shape(s));
  const auto at = LowerContext::indices(nest.loops);
  nest.stores.push_back({to, {at[0], head_of(s, at[1], at[2]), at[3], at[4]}, load(c, from, at)});
  c.emit(std::move(nest));
}

void emit_attention_values(LowerContext& c, const AttentionSpec& a, ir::BufferId weights, DType type) {
  const AttentionSizes& s = a.sizes;
  ir::LoopNest nest;
  nest.name = "values";
  nest.loops = c.loops({s.batch, s.key_heads, s.group, s.rows, s.columns});
  nest.reduced = c.loops({s.keys}, "k");
  nest.roles = {AxisRole::batch, AxisRole::batch, AxisRole::batch, AxisRole::rows, AxisRole::columns, AxisRole::k};
  const auto at = LowerContext::indices(nest.loops);
  const IndexExpr key = nest.reduced[0].var;
  nest.reductions.push_back(
      {ir::ReduceOp::sum, type,
       load(c, weights, {at[0], at[1], at[2], at[3], key}).cast(type) * a.value(at[0], at[1], key, at[4]).cast(type)});
  nest.stores.push_back(
      {a.out, a.out_at(at[0], head_of(s, at[1], at[2]), at[3], at[4]), c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
}

}  // namespace

void emit_attention(LowerContext& c, const AttentionSpec& a) {
  const DType type = ir::value_type(c.dtype(0));
  const Shape shape = score_shape(a.sizes);
  ir::BufferId products = emit_attention_scores(c, a, type), scores = c.temporary(type, shape),
               weights = c.temporary(type, shape);
  c.emit_pointwise(
      scores,
      [&](const auto& at) {
        return a.score({at[0], head_of(a.sizes, at[1], at[2]), at[3], at[4]}, load(c, products, at) * a.scale);
      },
      "score");
  emit_softmax(c, AxisSplit(shape, {4}), scores, weights, type, a.hides_rows);
  emit_attention_values(c, a, weights, type);
  if (a.products >= 0)
    c.emit_pointwise(
        a.products,
        [&](const auto& at) {
          Scalar x = load(c, products,
                          {at[0], ir::floordiv(at[1], a.sizes.group), ir::mod(at[1], a.sizes.group), at[2], at[3]});
          return a.shown({at[0], at[1], at[2], at[3]}, x * a.scale);
        },
        "products");
  if (a.weights >= 0) emit_copy(c, a.sizes, weights, a.weights, "weights");
}

std::vector<IndexExpr> HeadedTensor::at(IndexExpr b, IndexExpr head, IndexExpr position, IndexExpr feature) const {
  if (apart) return {b, head, position, feature};
  return {b, position, head * features + feature};
}

Shape HeadedTensor::shape() const {
  if (apart) return {batch, heads, sequence, features};
  return {batch, sequence, heads * features};
}

HeadedTensor headed_input(InferContext& c, int i, const std::function<int64_t()>& heads) {
  require_rank(c, i, 3, 4);
  const Shape& s = c.shape(i);
  if (s.size() == 4) return {true, s[0], s[1], s[2], s[3]};
  const int64_t n = heads(), features = constant_dim(c, s[2], "the features of all heads");
  if (n < 1 || features % n != 0)
    c.fail("the features of input " + std::to_string(i) + " are not divided among " + std::to_string(n) + " heads");
  return {false, s[0], n, s[1], features / n};
}

Shape cache_shape(const AttentionSizes& s, IndexExpr features) { return {s.batch, s.key_heads, s.keys, features}; }

IndexExpr cache_length(InferContext& c, int past_key) {
  if (!c.has_input(past_key)) return 0;
  require_rank(c, past_key, 4, 4);
  return c.shape(past_key)[2];
}

void check_cache(InferContext& c, int past_key, int past_value, const AttentionSizes& s, IndexExpr past) {
  if (c.has_input(past_key) != c.has_input(past_value)) c.fail("past_key and past_value must be given together");
  if (!c.has_input(past_key)) return;
  for (auto [i, features] : {std::pair{past_key, s.head_size}, std::pair{past_value, s.columns}}) {
    require_rank(c, i, 4, 4);
    require_same_dtype(c, 0, i);
    const Shape expected{s.batch, s.key_heads, past, features};
    for (size_t d = 0; d < 4; d++) require_equal(c, c.shape(i)[d], expected[d], "the sizes of the cache");
  }
}

void emit_concatenated(LowerContext& c, ir::BufferId past, IndexExpr past_length, ir::BufferId tensor,
                       const HeadedTensor& t, ir::BufferId kept) {
  const auto part = [&](const char* name, IndexExpr length, const auto& value, IndexExpr offset) {
    ir::LoopNest nest;
    nest.name = name;
    nest.loops = c.loops({t.batch, t.heads, length, t.features});
    const auto at = LowerContext::indices(nest.loops);
    nest.stores.push_back({kept, {at[0], at[1], at[2] + offset, at[3]}, value(at)});
    c.emit(std::move(nest));
  };
  if (past >= 0)
    part(
        "past", past_length, [&](const auto& at) { return load(c, past, at); }, 0);
  part(
      "present", t.sequence, [&](const auto& at) { return load(c, tensor, t.at(at[0], at[1], at[2], at[3])); },
      past >= 0 ? past_length : IndexExpr(int64_t(0)));
}

std::vector<IndexExpr> mask_index(const Shape& mask, const ScorePoint& p) {
  const std::vector<IndexExpr> full{p.batch, p.head, p.row, p.key};
  std::vector<IndexExpr> at;
  for (size_t d = 0; d < mask.size(); d++) at.push_back(broadcast_index(full[full.size() - mask.size() + d], mask[d]));
  return at;
}

}  // namespace cppgen::ops
