// MultiHeadAttention and Attention of com.microsoft: attention over [batch, sequence, heads * features], with biases
// and, for the latter, projections of one input.
#include <cmath>
#include <limits>
#include <optional>

#include "cppgen/ops/attention/attention.h"
#include "cppgen/ops/contractions/matmul.h"

namespace cppgen::ops {
namespace {

constexpr double kHidden = -10000;  // of mask_filter_value, unless the node says otherwise

// Common to both operators: the positions of their inputs, and what follows from shapes.
struct MicrosoftAttention {
  AttentionSizes sizes;
  IndexExpr past = 0;
  int padding = -1, bias = -1;  // inputs: the keys that are not padding; the addend of the scores
};

// The padding mask is [2 * batch]: the ends and then the begins of the keys that are not padding.
bool has_bounds(InferContext& c, const MicrosoftAttention& a) {
  const Shape& s = c.shape(a.padding);
  return s.size() == 1 && !ir::prove_equal(s[0], a.sizes.batch) &&
         ir::prove_equal(s[0], a.sizes.batch * IndexExpr(int64_t(2)));
}

void check_padding(InferContext& c, const MicrosoftAttention& a) {
  if (!c.has_input(a.padding)) return;
  require_dtype(c, a.padding, bit(DType::i32));
  const Shape& s = c.shape(a.padding);
  if (s.empty() || s.size() > 3)
    c.fail(
        "a key padding mask that is not [batch], [2 * batch], [batch, keys] or [batch, rows, keys] is not supported");
  if (has_bounds(c, a)) return;
  require_equal(c, s[0], a.sizes.batch, "the batch and the key padding mask");
  if (s.size() == 3) require_equal(c, s[1], a.sizes.rows, "the rows and the key padding mask");
  if (s.size() > 1) require_equal(c, s.back(), a.sizes.keys, "the keys and the key padding mask");
}

// Returns whether the padding mask shows the key: one number is the number of keys, two numbers are their end and their
// begin.
Scalar is_there(LowerContext& c, const MicrosoftAttention& a, const ScorePoint& p) {
  const size_t rank = c.shape(a.padding).size();
  if (rank == 2) return load_input(c, a.padding, {p.batch, p.key}) != 0.0;
  if (rank == 3) return load_input(c, a.padding, {p.batch, p.row, p.key}) != 0.0;
  const Scalar key = index_value(c, p.key);
  const Scalar before_end = key < load_input(c, a.padding, {p.batch}).cast(DType::i64);
  if (!has_bounds(c, a)) return before_end;
  return before_end && key >= load_input(c, a.padding, {p.batch + a.sizes.batch}).cast(DType::i64);
}

void check_score_bias(InferContext& c, const MicrosoftAttention& a) {
  if (!c.has_input(a.bias)) return;
  require_same_dtype(c, 0, a.bias);
  require_broadcasts_to(c, a.bias, {a.sizes.batch, a.sizes.heads(), a.sizes.rows, a.sizes.keys});
}

// `unseen` is the score of keys that come after a query.
Scalar score(LowerContext& c, const MicrosoftAttention& a, const ScorePoint& p, Scalar x, Scalar unseen) {
  const double hidden = c.number("mask_filter_value", float(kHidden));
  if (c.has_input(a.padding)) {
    x = x + scalar(c, c.exprs().select(is_there(c, a, p), number(c, x.type(), 0), number(c, x.type(), hidden)));
  }
  if (c.has_input(a.bias)) x = x + load_input(c, a.bias, mask_index(c.shape(a.bias), p));
  if (c.integer("unidirectional", 0) == 0) return x;
  Scalar sees = index_value(c, p.key) <= index_value(c, p.row + a.past);
  return scalar(c, c.exprs().select(sees, x, unseen));
}

double score_scale(InferContext& c, const AttentionSizes& s) {
  const double head_size = double(constant_dim(c, s.head_size, "the features of a head")), scale = c.number("scale", 0);
  return scale != 0 ? scale : 1 / std::sqrt(std::max(head_size, 1.0));
}

AttentionSpec spec_of(LowerContext& c, const MicrosoftAttention& a) {
  AttentionSpec spec;
  spec.sizes = a.sizes, spec.scale = score_scale(c, a.sizes);
  spec.score = [&c, &a](const ScorePoint& p, Scalar x) { return score(c, a, p, x, lowest(c, x.type())); };
  spec.out = c.output_buffer(0);
  spec.out_at = [&a](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
    return std::vector<IndexExpr>{n, i, h * a.sizes.columns + d};
  };
  return spec;
}

AttentionSpec::Element element(LowerContext& c, ir::BufferId b, HeadedTensor t) {
  return [&c, b, t](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return load(c, b, t.at(n, h, i, d)); };
}

enum { kJointBias = kValue + 1, kPadding, kScoreBias, kCachedKeys, kCachedValues };

struct MultiHead {
  MicrosoftAttention common;
  HeadedTensor query, key, value;
};

MultiHead describe_multi_head(InferContext& c) {
  MultiHead m;
  const auto heads = [&] { return c.integer("num_heads"); };
  require_rank(c, kQuery, 3, 3);
  m.query = headed_input(c, kQuery, heads);
  m.key = headed_input(c, kKey, heads);
  m.value = headed_input(c, kValue, heads);
  MicrosoftAttention& a = m.common;
  a.padding = kPadding, a.bias = kScoreBias;
  a.past = cache_length(c, kCachedKeys);
  AttentionSizes& s = a.sizes;
  s.batch =
      require_equal(c, m.query.batch, require_equal(c, m.key.batch, m.value.batch, "the batches of key and value"),
                    "the batches of query and key");
  s.key_heads =
      require_equal(c, m.query.heads, require_equal(c, m.key.heads, m.value.heads, "the heads of key and value"),
                    "the heads of query and key");
  s.rows = m.query.sequence;
  s.keys = a.past + require_equal(c, m.key.sequence, m.value.sequence, "the lengths of key and value");
  s.head_size = require_equal(c, m.query.features, m.key.features, "the features of query and key");
  s.columns = m.value.features;
  return m;
}

void infer_multi_head(InferContext& c) {
  require_dtype(c, kQuery, kFloats);
  for (int i : {kKey, kValue}) require_same_dtype(c, kQuery, i);
  const MultiHead m = describe_multi_head(c);
  const AttentionSizes& s = m.common.sizes;
  if (c.has_input(kJointBias)) {
    require_same_dtype(c, kQuery, kJointBias);
    require_rank(c, kJointBias, 1, 1);
    require_equal(c, c.shape(kJointBias)[0], s.key_heads * (s.head_size * 2 + s.columns), "the bias and the features");
  }
  check_cache(c, kCachedKeys, kCachedValues, s, m.common.past);
  check_padding(c, m.common);
  check_score_bias(c, m.common);
  c.set_output(0, c.dtype(kQuery), {s.batch, s.rows, s.key_heads * s.columns});
  if (c.has_output(1)) c.set_output(1, c.dtype(kQuery), cache_shape(s, s.head_size));
  if (c.has_output(2)) c.set_output(2, c.dtype(kQuery), cache_shape(s, s.columns));
  if (c.has_output(kProducts)) c.set_output(kProducts, c.dtype(kQuery), {s.batch, s.heads(), s.rows, s.keys});
}

// The input plus its part of the bias, which holds those of query, key and value one after the other. Keys and values
// with a dimension for heads already include theirs.
ir::BufferId biased(LowerContext& c, int input, const HeadedTensor& t, IndexExpr offset) {
  if (!c.has_input(kJointBias) || (t.apart && input != kQuery)) return c.input_buffer(input);
  ir::BufferId sum = c.temporary(ir::value_type(c.dtype(input)), t.shape());
  c.emit_pointwise(
      sum,
      [&](const auto& at) {
        const IndexExpr feature = t.apart ? at[1] * t.features + at[3] : at[2];
        return load_input(c, input, at) + load_input(c, kJointBias, {offset + feature});
      },
      "bias");
  return sum;
}

// Keys or values with the cache in front, which is also an output.
AttentionSpec::Element element_with_past(LowerContext& c, const MultiHead& m, int input, int past, int present,
                                         const HeadedTensor& t, IndexExpr bias) {
  ir::BufferId own = biased(c, input, t, bias);
  const AttentionSizes& s = m.common.sizes;
  if (!c.has_input(past) && !c.has_output(present)) return element(c, own, t);
  ir::BufferId kept =
      c.has_output(present) ? c.output_buffer(present) : c.temporary(c.dtype(input), cache_shape(s, t.features));
  emit_concatenated(c, c.has_input(past) ? c.input_buffer(past) : -1, m.common.past, own, t, kept);
  return element(c, kept, {true, s.batch, s.key_heads, s.keys, t.features});
}

void lower_multi_head(LowerContext& c) {
  const MultiHead m = describe_multi_head(c);
  const AttentionSizes& s = m.common.sizes;
  AttentionSpec spec = spec_of(c, m.common);
  spec.query = element(c, biased(c, kQuery, m.query, 0), m.query);
  spec.key = element_with_past(c, m, kKey, kCachedKeys, 1, m.key, s.key_heads * s.head_size);
  spec.value = element_with_past(c, m, kValue, kCachedValues, 2, m.value, s.key_heads * s.head_size * 2);
  if (c.has_output(kProducts)) {
    spec.products = c.output_buffer(kProducts);
    spec.shown = [&](const ScorePoint& p, Scalar x) {
      return score(c, m.common, p, x, number(c, x.type(), double(std::numeric_limits<float>::lowest())));
    };
  }
  emit_attention(c, spec);
}

std::string refuse_multi_head(const Graph&, const Node& n) {
  const auto given = [](const std::vector<ValueId>& list, size_t i) { return list.size() > i && list[i] >= 0; };
  if (!given(n.inputs, kKey) || !given(n.inputs, kValue)) return "packed keys and values are not supported";
  if (given(n.inputs, 8) || given(n.inputs, 9)) return "a shared cache of keys and values is not supported";
  return "";
}

enum { kInput, kProjectionWeights, kProjectionBias, kMaskIndex, kJointCache, kAttentionBias };

struct Projected {
  MicrosoftAttention common;
  IndexExpr hidden[3];  // features of all heads of query, key and value
  IndexExpr features;
};

Projected describe_projected(InferContext& c) {
  Projected p;
  require_rank(c, kInput, 3, 3);
  require_rank(c, kProjectionWeights, 2, 2);
  const Shape& x = c.shape(kInput);
  const int64_t heads = c.integer("num_heads"),
                all = constant_dim(c, c.shape(kProjectionWeights)[1], "the columns of the weights");
  auto sizes = c.integers("qkv_hidden_sizes", {});
  if (sizes.empty()) sizes = {all / 3, all / 3, all / 3};
  if (heads < 1 || sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != all || sizes[0] != sizes[1] ||
      sizes[0] % heads || sizes[2] % heads)
    c.fail("the columns of the weights are not divided among queries, keys and values of " + std::to_string(heads) +
           " heads");
  for (int i = 0; i < 3; i++) p.hidden[i] = sizes[size_t(i)];
  require_equal(c, x[2], c.shape(kProjectionWeights)[0], "the inner dimensions of input and weights");
  p.features = all;
  p.common.padding = kMaskIndex, p.common.bias = kAttentionBias;
  p.common.sizes = {x[0], heads, 1, x[1], x[1], sizes[0] / heads, sizes[2] / heads};
  if (c.has_input(kJointCache)) {
    require_rank(c, kJointCache, 5, 5);
    p.common.past = c.shape(kJointCache)[3];
    p.common.sizes.keys = p.common.past + x[1];
  }
  return p;
}

// Keys and values one after the other, of `length` keys each.
Shape joint_cache_shape(const AttentionSizes& s, IndexExpr length) {
  return {int64_t(2), s.batch, s.key_heads, length, s.head_size};
}

void check_joint_cache(InferContext& c, const Projected& p) {
  if (!c.has_input(kJointCache) && !c.has_output(1)) return;
  const AttentionSizes& s = p.common.sizes;
  require_equal(c, s.head_size, s.columns, "the features of keys and values in one cache");
  if (c.has_output(1)) c.set_output(1, c.dtype(kInput), joint_cache_shape(s, s.keys));
  if (!c.has_input(kJointCache)) return;
  require_same_dtype(c, kInput, kJointCache);
  const Shape expected = joint_cache_shape(s, p.common.past);
  for (size_t d = 0; d < expected.size(); d++)
    require_equal(c, c.shape(kJointCache)[d], expected[d], "the sizes of the cache");
}

void infer_projected(InferContext& c) {
  require_dtype(c, kInput, kFloats);
  require_same_dtype(c, kInput, kProjectionWeights);
  const Projected p = describe_projected(c);
  if (c.has_input(kProjectionBias)) {
    require_same_dtype(c, kInput, kProjectionBias);
    require_rank(c, kProjectionBias, 1, 1);
    require_equal(c, c.shape(kProjectionBias)[0], p.features, "the bias and the columns of the weights");
  }
  check_padding(c, p.common);
  check_score_bias(c, p.common);
  const AttentionSizes& s = p.common.sizes;
  c.set_output(0, c.dtype(kInput), {s.batch, s.rows, p.hidden[2]});
  check_joint_cache(c, p);
}

ir::BufferId project(LowerContext& c) {
  const DType type = ir::value_type(c.dtype(kInput));
  const MatMulShapes shapes = matmul_shapes(c, c.shape(kInput), c.shape(kProjectionWeights));
  ir::BufferId product = c.temporary(type, shapes.result);
  emit_matmul(c, shapes, c.input_buffer(kInput), c.input_buffer(kProjectionWeights), product, type, "projection");
  if (!c.has_input(kProjectionBias)) return product;
  ir::BufferId sum = c.temporary(type, shapes.result);
  c.emit_pointwise(
      sum, [&](const auto& at) { return load(c, product, at) + load_input(c, kProjectionBias, {at[2]}); }, "bias");
  return sum;
}

// Earlier keys and values followed by those of `projections`.
ir::BufferId joint_cache(LowerContext& c, const Projected& p, ir::BufferId projections) {
  const AttentionSizes& s = p.common.sizes;
  const ir::BufferId kept =
      c.has_output(1) ? c.output_buffer(1) : c.temporary(c.dtype(kInput), joint_cache_shape(s, s.keys));
  const auto part = [&](const char* name, IndexExpr length, IndexExpr offset, const auto& value) {
    ir::LoopNest nest;
    nest.name = name;
    nest.loops = c.loops(joint_cache_shape(s, length));
    auto at = LowerContext::indices(nest.loops), to = at;
    to[3] = at[3] + offset;
    nest.stores.push_back({kept, to, value(at)});
    c.emit(std::move(nest));
  };
  if (c.has_input(kJointCache))
    part("past", p.common.past, 0, [&](const auto& at) { return load_input(c, kJointCache, at); });
  part("present", s.rows, p.common.past, [&](const auto& at) {
    return load(c, projections, {at[1], at[3], p.hidden[0] * (at[0] + 1) + at[2] * s.head_size + at[4]});
  });
  return kept;
}

void lower_projected(LowerContext& c) {
  const Projected p = describe_projected(c);
  const AttentionSizes& s = p.common.sizes;
  ir::BufferId all = project(c);
  const auto part = [&](IndexExpr offset, IndexExpr features) {
    return [&c, all, offset, features](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
      return load(c, all, {n, i, offset + h * features + d});
    };
  };
  AttentionSpec spec = spec_of(c, p.common);
  spec.query = part(0, s.head_size);
  spec.key = part(p.hidden[0], s.head_size);
  spec.value = part(p.hidden[0] + p.hidden[1], s.columns);
  if (c.has_input(kJointCache) || c.has_output(1)) {
    const ir::BufferId kept = joint_cache(c, p, all);
    const auto cached = [&](int64_t which) {
      return [&c, kept, which](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
        return load(c, kept, {which, n, h, i, d});
      };
    };
    spec.key = cached(0), spec.value = cached(1);
  }
  emit_attention(c, spec);
}

std::string refuse_projected(const Graph&, const Node& n) {
  const auto given = [](const std::vector<ValueId>& list, size_t i) { return list.size() > i && list[i] >= 0; };
  if (given(n.inputs, 6)) return "a shared cache of keys and values is not supported";
  const auto rotary = n.attributes.find("do_rotary");
  if (rotary != n.attributes.end() && std::get<int64_t>(rotary->second) != 0) return "do_rotary is not supported";
  return "";
}

}  // namespace

std::vector<Op> microsoft_attention_ops() {
  return {
      {.name = "MultiHeadAttention",
       .domain = "com.microsoft",
       .versions = {{1, "mask_filter_value:float num_heads:int scale:float unidirectional:int"}},
       .inputs = {1, 10},
       .outputs = 4,
       .infer = infer_multi_head,
       .lower = lower_multi_head,
       .refuse = refuse_multi_head},
      {.name = "Attention",
       .domain = "com.microsoft",
       .versions = {{1,
                     "do_rotary:int mask_filter_value:float num_heads:int past_present_share_buffer:int "
                     "qkv_hidden_sizes:ints rotary_embedding_dim:int scale:float unidirectional:int"}},
       .inputs = {2, 7},
       .outputs = 2,
       .infer = infer_projected,
       .lower = lower_projected,
       .refuse = refuse_projected},
  };
}

}  // namespace cppgen::ops
