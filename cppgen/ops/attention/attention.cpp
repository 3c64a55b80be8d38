// Attention of ONNX (from version 23 on): softmax(Q x K^T * scale, capped, masked) x V, with a cache of earlier keys
// and values in front.
#include "cppgen/ops/attention/attention.h"

#include <cmath>
#include <optional>

namespace cppgen::ops {
namespace {

enum { kAttentionMask = kValue + 1, kPastKey, kPastValue, kValidKeys };
// The contents of qk_matmul_output: the products, the capped products, the capped and masked products, or the softmax.
enum Shown : int64_t { kRaw, kCapped, kMasked, kSoftmax };

struct Attention {
  HeadedTensor query, key, value;
  IndexExpr past = 0;
  bool is_causal = false;
  int64_t left = -1, right = -1;  // number of keys that a query sees on one side of its own position; -1: all
  AttentionSizes sizes;

  bool has_window() const { return is_causal || left >= 0 || right >= 0; }
};

Attention describe_attention(InferContext& c) {
  Attention a;
  const auto heads = [&](const char* name) { return [&c, name] { return c.integer(name); }; };
  a.query = headed_input(c, kQuery, heads("q_num_heads"));
  a.key = headed_input(c, kKey, heads("kv_num_heads"));
  a.value = headed_input(c, kValue, heads("kv_num_heads"));
  a.past = cache_length(c, kPastKey);
  a.is_causal = c.integer("is_causal", 0) != 0;
  a.left = c.integer("left_window_size", -1), a.right = c.integer("right_window_size", -1);
  if (a.left < -1 || a.right < -1) c.fail("a window size is below -1");
  AttentionSizes& s = a.sizes;
  s.batch =
      require_equal(c, a.query.batch, require_equal(c, a.key.batch, a.value.batch, "the batches of key and value"),
                    "the batches of query and key");
  s.key_heads = require_equal(c, a.key.heads, a.value.heads, "the heads of key and value");
  const int64_t q = constant_dim(c, a.query.heads, "the number of heads"),
                k = constant_dim(c, s.key_heads, "the number of heads of the keys");
  if (k < 1 || q % k != 0) c.fail("the number of query heads is not a multiple of the number of key heads");
  s.group = q / k;
  s.rows = a.query.sequence;
  s.keys = a.past + require_equal(c, a.key.sequence, a.value.sequence, "the lengths of key and value");
  s.head_size = require_equal(c, a.query.features, a.key.features, "the features of query and key");
  s.columns = a.value.features;
  return a;
}

// From version 24 on a mask may end before the keys; the keys after its end are hidden.
std::optional<IndexExpr> shorter_mask(InferContext& c, const Attention& a) {
  if (c.opset() < 24 || c.shape(kAttentionMask).empty()) return std::nullopt;
  const IndexExpr length = c.shape(kAttentionMask).back();
  return !length.is_constant(1) && ir::prove_less(length, a.sizes.keys) ? std::optional(length) : std::nullopt;
}

void check_mask(InferContext& c, const Attention& a) {
  if (!c.has_input(kAttentionMask)) return;
  const DType type = c.dtype(kAttentionMask);
  if (type != DType::boolean && type != c.dtype(kQuery))
    c.fail_invalid("attn_mask is neither bool nor of the query's type");
  require_rank(c, kAttentionMask, 1, 4);
  const IndexExpr keys = shorter_mask(c, a).value_or(a.sizes.keys);
  require_broadcasts_to(c, kAttentionMask, {a.sizes.batch, a.sizes.heads(), a.sizes.rows, keys});
}

void infer_attention(InferContext& c) {
  require_dtype(c, kQuery, kFloats);
  require_same_dtype(c, kQuery, kKey);
  require_same_dtype(c, kQuery, kValue);
  const Attention a = describe_attention(c);
  check_cache(c, kPastKey, kPastValue, a.sizes, a.past);
  check_mask(c, a);
  if (c.has_input(kValidKeys)) {
    require_dtype(c, kValidKeys, bit(DType::i64));
    require_rank(c, kValidKeys, 1, 1);
    require_equal(c, c.shape(kValidKeys)[0], a.sizes.batch, "the batch and nonpad_kv_seqlen");
  }
  HeadedTensor out = a.query;
  out.features = a.sizes.columns;
  const DType type = c.dtype(kQuery);
  c.set_output(kResult, type, out.shape());
  if (c.has_output(kPresentKey)) c.set_output(kPresentKey, type, cache_shape(a.sizes, a.sizes.head_size));
  if (c.has_output(kPresentValue)) c.set_output(kPresentValue, type, cache_shape(a.sizes, a.sizes.columns));
  const int64_t shown = c.integer("qk_matmul_output_mode", 0);
  if (shown < kRaw || shown > kSoftmax)
    c.fail(fmt::format("qk_matmul_output_mode is {}; allowed are {} to {}", shown, int(kRaw), int(kSoftmax)));
  if (c.has_output(kProducts))
    c.set_output(kProducts, type, {a.sizes.batch, a.sizes.heads(), a.sizes.rows, a.sizes.keys});
}

Scalar hidden(LowerContext& c, DType type) { return scalar(c, c.exprs().constant(type, -INFINITY)); }

Scalar masked(LowerContext& c, const Attention& a, const ScorePoint& p, Scalar x) {
  const Scalar none = hidden(c, x.type());
  if (c.has_input(kAttentionMask)) {
    const std::optional<IndexExpr> length = shorter_mask(c, a);
    ScorePoint at = p;
    if (length) at.key = ir::max(ir::min(p.key, *length - 1), 0);
    Scalar mask = load_input(c, kAttentionMask, mask_index(c.shape(kAttentionMask), at));
    x = mask.type() == DType::boolean ? scalar(c, c.exprs().select(mask, x, none)) : x + mask;
    if (length) x = scalar(c, c.exprs().select(index_value(c, p.key) < index_value(c, *length), x, none));
  }
  Scalar key = index_value(c, p.key);
  if (c.has_input(kValidKeys)) x = scalar(c, c.exprs().select(key < load_input(c, kValidKeys, {p.batch}), x, none));
  if (!a.has_window()) return x;
  // The last queries see the last keys: as many keys come before the queries as the cache holds.
  Scalar own = index_value(c, p.row + a.past);
  if (c.has_input(kValidKeys) && !c.has_input(kPastKey))
    own = own + load_input(c, kValidKeys, {p.batch}) - index_value(c, a.sizes.rows);
  const auto seen = [&](Scalar condition) { x = scalar(c, c.exprs().select(condition, x, none)); };
  if (a.is_causal) seen(key <= own);
  if (a.right >= 0) seen(key <= own + double(a.right));
  if (a.left >= 0) seen(key + double(a.left) >= own);
  return x;
}

// A cache is a tensor of its own: a product reads its operand from one place.
ir::BufferId buffer_with_past(LowerContext& c, const Attention& a, int input, int past, int present, HeadedTensor& t) {
  const bool needed = c.has_input(past), requested = c.has_output(present);
  if (!needed && !requested) return c.input_buffer(input);
  ir::BufferId kept =
      requested ? c.output_buffer(present) : c.temporary(c.dtype(input), cache_shape(a.sizes, t.features));
  emit_concatenated(c, needed ? c.input_buffer(past) : -1, a.past, c.input_buffer(input), t, kept);
  if (!needed) return c.input_buffer(input);
  t = {true, t.batch, t.heads, a.sizes.keys, t.features};
  return kept;
}

void lower_attention(LowerContext& c) {
  Attention a = describe_attention(c);
  AttentionSpec spec;
  spec.sizes = a.sizes;
  const double head_size = double(constant_dim(c, a.sizes.head_size, "the features of a head"));
  spec.scale = c.number("scale", float(1 / std::sqrt(std::max(head_size, 1.0))));
  const double cap = c.number("softcap", 0);
  const auto element = [&c](ir::BufferId b, HeadedTensor t) {
    return [&c, b, t](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return load(c, b, t.at(n, h, i, d)); };
  };
  spec.query = element(c.input_buffer(kQuery), a.query);
  ir::BufferId keys = buffer_with_past(c, a, kKey, kPastKey, kPresentKey, a.key);
  spec.key = element(keys, a.key);
  ir::BufferId values = buffer_with_past(c, a, kValue, kPastValue, kPresentValue, a.value);
  spec.value = element(values, a.value);
  const AttentionSpec::Score capped = [&](const ScorePoint&, Scalar x) {
    return cap > 0 ? (x / cap).unary(ir::UnaryOp::tanh) * cap : x;
  };
  spec.score = [&](const ScorePoint& p, Scalar x) { return masked(c, a, p, capped(p, x)); };
  spec.hides_rows = a.has_window() || c.has_input(kAttentionMask) || c.has_input(kValidKeys);
  HeadedTensor out = a.query;
  out.features = a.sizes.columns;
  spec.out = c.output_buffer(kResult);
  spec.out_at = [&](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return out.at(n, h, i, d); };
  if (c.has_output(kProducts)) {
    const int64_t shown = c.integer("qk_matmul_output_mode", 0);
    (shown == kSoftmax ? spec.weights : spec.products) = c.output_buffer(kProducts);
    if (shown == kCapped) spec.shown = capped;
    if (shown == kMasked) spec.shown = spec.score;
  }
  emit_attention(c, spec);
}

}  // namespace

std::vector<Op> attention_ops() {
  return {
      {.name = "Attention",
       .versions = {{23,
                     "is_causal:int kv_num_heads:int q_num_heads:int qk_matmul_output_mode:int scale:float "
                     "softcap:float softmax_precision:int"}},
       .inputs = {3, 6},
       .outputs = 4,
       .infer = infer_attention,
       .lower = lower_attention},
      {.name = "Attention",
       .versions = {{24,
                     "is_causal:int kv_num_heads:int q_num_heads:int qk_matmul_output_mode:int scale:float "
                     "softcap:float softmax_precision:int"},
                    {25, "left_window_size:int right_window_size:int"}},
       .inputs = {3, 7},
       .outputs = 4,
       .infer = infer_attention,
       .lower = lower_attention},
  };
}

}  // namespace cppgen::ops
