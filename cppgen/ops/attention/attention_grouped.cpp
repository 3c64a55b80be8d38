// GroupQueryAttention of com.microsoft: causal attention of grouped heads with a cache of keys and values, as many of
// which are in use as a run says for each member of the batch; optionally rotary embedding, a window of the last keys,
// a cap of the scores, and a sink.
#include <fmt/format.h>

#include <cmath>

#include "cppgen/ops/attention/attention.h"
#include "cppgen/ops/declared.h"
#include "runtime/base/printable.h"

namespace cppgen::ops {
namespace {

enum { kEarlierKeys = kValue + 1, kEarlierValues, kLastKeys, kTotal, kCosine, kSine, kRowPositions, kAddend, kSink };

struct Grouped {
  AttentionSizes sizes;  // keys: those of the present cache
  bool appends = false;  // the caches are states: this run's keys follow those of the earlier cache
  bool packed = false;   // queries, keys and values of one position are packed in the first input
  IndexExpr past = 0;    // keys of the earlier cache
  IndexExpr pairs = 0;   // of features that are turned
};

// The sequence of the present cache: the greater of the earlier cache's, which may be larger than what is in use, and
// the total length, where that is known without the data or declared.
IndexExpr present_length(InferContext& c, const Grouped& g) {
  if (g.appends) return g.past + g.sizes.rows;
  if (!c.has_input(kEarlierKeys)) return g.sizes.rows;
  if (const auto* total = c.contents(kTotal); total && total->size() == 1) return ir::max(g.past, (*total)[0]);
  if (c.has_output(kPresentKey))
    if (const auto shape = declared_shape(c, kPresentKey); shape && shape->size() == 4) return (*shape)[2];
  c.fail(
      "total_sequence_length must be constant or follow from shapes, or the shape of present_key must be declared: the "
      "length of the cache is unknown");
}

void describe_heads(InferContext& c, Grouped& g) {
  const int64_t heads = c.integer("num_heads"), key_heads = c.integer("kv_num_heads");
  if (heads < 1 || key_heads < 1 || heads % key_heads != 0) c.fail("num_heads is not a multiple of kv_num_heads");
  require_rank(c, kQuery, 3, 3);
  const int64_t width = constant_dim(c, c.shape(kQuery)[2], "the features of all heads"),
                parts = g.packed ? heads + 2 * key_heads : heads;
  if (width % parts != 0) c.fail("the features of the query are not divided among its heads");
  AttentionSizes& s = g.sizes;
  s.batch = c.shape(kQuery)[0], s.rows = c.shape(kQuery)[1];
  s.key_heads = key_heads, s.group = heads / key_heads, s.head_size = s.columns = width / parts;
  for (int i : {kKey, kValue}) {
    if (g.packed) break;
    require_rank(c, i, 3, 3);
    require_equal(c, c.shape(i)[0], s.batch, "the batches of query, key and value");
    require_equal(c, c.shape(i)[1], s.rows, "the lengths of query, key and value");
    require_equal(c, c.shape(i)[2], s.key_heads * s.head_size, "the features of query, key and value");
  }
}

Grouped describe_grouped(InferContext& c) {
  Grouped g;
  g.packed = !c.has_input(kKey) && !c.has_input(kValue);
  if (c.has_input(kKey) != c.has_input(kValue)) c.fail("key and value must be given together");
  describe_heads(c, g);
  g.past = cache_length(c, kEarlierKeys);
  g.appends = c.node().facts.appends && c.has_input(kEarlierKeys);
  g.sizes.keys = present_length(c, g);
  if (c.integer("do_rotary", 0) == 0) return g;
  if (!c.has_input(kCosine) || !c.has_input(kSine)) c.fail("do_rotary requires cos_cache and sin_cache");
  require_rank(c, kCosine, 2, 2);
  g.pairs = c.shape(kCosine)[1];
  if (constant_dim(c, g.pairs, "the width of the cosine cache") * 2 > g.sizes.head_size.constant())
    c.fail("the cosine cache is wider than half a head");
  return g;
}

void check_rotary(InferContext& c, const Grouped& g) {
  if (c.integer("do_rotary", 0) == 0) return;
  for (int i : {kCosine, kSine}) {
    require_same_dtype(c, kQuery, i);
    require_rank(c, i, 2, 2);
    require_equal(c, c.shape(i)[1], g.pairs, "the widths of the cosine and the sine cache");
  }
  if (!c.has_input(kRowPositions)) return;
  require_dtype(c, kRowPositions, bit(DType::i64));
  require_rank(c, kRowPositions, 2, 2);
  require_equal(c, c.shape(kRowPositions)[0], g.sizes.batch, "the batch and position_ids");
  require_equal(c, c.shape(kRowPositions)[1], g.sizes.rows, "the sequence and position_ids");
}

// The softmax has a further term: the exponential of 0, or of a number for each head.
bool has_sink(InferContext& c) { return c.has_input(kSink) || c.integer("smooth_softmax", 0) > 0; }

void check_sink(InferContext& c, const AttentionSizes& s) {
  if (has_sink(c)) require_at_most(c, 1, s.keys, "there are no keys");
  if (!c.has_input(kSink)) return;
  require_same_dtype(c, kQuery, kSink);
  require_rank(c, kSink, 1, 1);
  require_equal(c, c.shape(kSink)[0], s.heads(), "the heads and head_sink");
}

void infer_grouped(InferContext& c) {
  require_dtype(c, kQuery, kFloats);
  for (int i : {kKey, kValue})
    if (c.has_input(i)) require_same_dtype(c, kQuery, i);
  const Grouped g = describe_grouped(c);
  const AttentionSizes& s = g.sizes;
  check_cache(c, kEarlierKeys, kEarlierValues, s, g.past);
  check_rotary(c, g);
  require_dtype(c, kLastKeys, bit(DType::i32));
  require_rank(c, kLastKeys, 1, 2);
  require_equal(c, product(c.shape(kLastKeys)), s.batch, "the batch and seqlens_k");
  require_dtype(c, kTotal, bit(DType::i32));
  require_rank(c, kTotal, 0, 1);
  require_equal(c, product(c.shape(kTotal)), 1, "total_sequence_length, one number,");
  if (const auto* total = c.contents(kTotal); g.appends && total && total->size() == 1)
    require_equal(c, (*total)[0], s.keys, "total_sequence_length and the positions of the state with those of the run");
  if (c.has_input(kAddend)) {
    require_same_dtype(c, kQuery, kAddend);
    require_rank(c, kAddend, 4, 4);
  }
  check_sink(c, s);
  const DType type = c.dtype(kQuery);
  c.set_output(kResult, type, {s.batch, s.rows, s.heads() * s.head_size});
  for (int i : {kPresentKey, kPresentValue})
    if (c.has_output(i)) c.set_output(i, type, cache_shape(s, s.head_size));
}

class GroupedLowering {
 public:
  explicit GroupedLowering(LowerContext& c) : c_(c), g_(describe_grouped(c)), s_(g_.sizes) {}

  void run() {
    AttentionSpec spec;
    spec.sizes = s_;
    const double scale = c_.number("scale", 0);
    spec.scale = scale != 0 ? scale : 1 / std::sqrt(double(std::max<int64_t>(s_.head_size.constant(), 1)));
    spec.query = turned(part(kQuery, 0), s_.heads());
    const IndexExpr heads = s_.heads();
    spec.key = cached(turned(part(kKey, heads), s_.key_heads), kEarlierKeys, kPresentKey, "present_key");
    spec.value = cached(part(kValue, heads + s_.key_heads), kEarlierValues, kPresentValue, "present_value");
    spec.score = [&](const ScorePoint& p, Scalar x) { return score(p, x); };
    if (has_sink(c_)) add_sink(spec);
    spec.out = c_.output_buffer(kResult);
    spec.out_at = [&](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
      return std::vector<IndexExpr>{n, i, h * s_.head_size + d};
    };
    emit_attention(c_, spec);
  }

 private:
  using Element = AttentionSpec::Element;
  LowerContext& c_;
  const Grouped g_;
  const AttentionSizes& s_;

  // The heads of an input; if all are packed in the first input, those starting at `first`.
  Element part(int input, IndexExpr first) {
    const int from = g_.packed ? int(kQuery) : input;
    const IndexExpr offset = g_.packed ? first : IndexExpr(int64_t{0});
    return [this, from, offset](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
      return load_input(c_, from, {n, i, (offset + h) * s_.head_size + d});
    };
  }

  // Keys in use of one member of the batch, those of this run included.
  Scalar total(IndexExpr batch) {
    std::vector<IndexExpr> at{batch};
    if (const Shape& shape = c_.shape(kLastKeys); shape.size() == 2)
      at = shape[0].is_constant(1) ? std::vector<IndexExpr>{0, batch} : std::vector<IndexExpr>{batch, 0};
    return load_input(c_, kLastKeys, at).cast(DType::i64) + 1;
  }

  // Returns where this run's keys begin.
  Scalar start(IndexExpr batch) { return g_.appends ? index_value(c_, g_.past) : given_start(batch); }

  // The number of past keys as the data say it: at 0 in the first run, whose members may be padded at their ends.
  Scalar given_start(IndexExpr batch) {
    const Scalar rows = index_value(c_, s_.rows), none = number(c_, DType::i64, 0);
    if (!c_.has_input(kEarlierKeys)) return none;
    const std::vector<IndexExpr> at(c_.shape(kTotal).size(), 0);
    const auto* known = c_.contents(kTotal);
    Scalar all = known ? index_value(c_, (*known)[0]) : load_input(c_, kTotal, at).cast(DType::i64);
    return select(all == rows, none, total(batch) - rows);
  }

  Element turned(Element x, IndexExpr heads) {
    if (c_.integer("do_rotary", 0) == 0) return x;
    const ir::BufferId out = c_.temporary(ir::value_type(c_.dtype(kQuery)), {s_.batch, heads, s_.rows, s_.head_size});
    const auto angle = [this](int cache) {
      return [this, cache](IndexExpr n, IndexExpr i, IndexExpr pair) {
        Scalar at = c_.has_input(kRowPositions) ? load_input(c_, kRowPositions, {n, i}) : start(n) + index_value(c_, i);
        return load_gathered(c_, c_.input_buffer(cache), {0, pair}, {{0, at}});
      };
    };
    const auto at = [](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return std::vector{n, h, i, d}; };
    emit_rotary(c_, {s_.batch, heads, s_.rows, s_.head_size, g_.pairs, c_.integer("rotary_interleaved", 0) != 0, x,
                     angle(kCosine), angle(kSine), out, at});
    return [this, out](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return load(c_, out, {n, h, i, d}); };
  }

  // The present cache: the contents of the earlier cache, then this run's keys, then zeros.
  Element cached(Element fresh, int past, int present, const char* name) {
    const Shape shape = cache_shape(s_, s_.head_size);
    const ir::BufferId own = c_.temporary(c_.dtype(kQuery), {s_.batch, s_.key_heads, s_.rows, s_.head_size});
    const ir::BufferId kept =
        c_.has_output(present) ? c_.output_buffer(present) : c_.temporary(c_.dtype(kQuery), shape);
    c_.emit_pointwise(
        own, [&](const auto& at) { return fresh(at[0], at[1], at[2], at[3]); }, "new");
    if (g_.appends) return appended(own, past, kept);
    c_.emit_pointwise(
        kept,
        [&](const auto& at) {
          const Scalar zero = number(c_, ir::value_type(c_.dtype(kQuery)), 0), last = index_value(c_, s_.rows - 1);
          const Scalar position = index_value(c_, at[2]) - start(at[0]);
          const Scalar inside = min(max(position, 0.0), last);
          Scalar old = c_.has_input(past) ? load_inside(c_, c_.input_buffer(past), at, zero) : zero;
          Scalar own_value = load_gathered(c_, own, {at[0], at[1], 0, at[3]}, {{2, inside}});
          return select(position == inside, own_value, select(position < 0.0, old, zero));
        },
        name);
    return [this, kept](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return load(c_, kept, {n, h, i, d}); };
  }

  // The earlier cache and this run's keys behind it. Each of them is stored only if the data say the same position.
  Element appended(ir::BufferId own, int past, ir::BufferId kept) {
    const HeadedTensor fresh{true, s_.batch, s_.key_heads, s_.rows, s_.head_size};
    const ir::BufferId checked = c_.temporary(c_.dtype(kQuery), fresh.shape());
    c_.emit_pointwise(
        checked,
        [&](const auto& at) {
          const IndexExpr position = c_.index().indirect(
              s_.rows, one_line(fmt::format("node '{}' (GroupQueryAttention): its caches are states, so seqlens_k + 1 "
                                            "must be the number of positions with those of the run.",
                                            c_.node().name)));
          const Scalar given =
              select(given_start(at[0]) == index_value(c_, g_.past), index_value(c_, at[2]), index_value(c_, s_.rows));
          return scalar(c_, c_.exprs().load(own, c_.program().buffer(own).type, {at[0], at[1], position, at[3]}, {},
                                            nullptr, {{position.node(), given}}));
        },
        "checked");
    emit_concatenated(c_, c_.input_buffer(past), g_.past, checked, fresh, kept);
    return [this, kept](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) { return load(c_, kept, {n, h, i, d}); };
  }

  // One more key, whose value is zero: all that the sink does is take a part of the softmax.
  void add_sink(AttentionSpec& spec) {
    const IndexExpr keys = s_.keys;
    spec.sizes.keys = keys + 1;
    spec.key = [key = spec.key, keys](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
      return key(n, h, ir::min(i, keys - 1), d);
    };
    spec.value = [this, value = spec.value, keys](IndexExpr n, IndexExpr h, IndexExpr i, IndexExpr d) {
      const Scalar x = value(n, h, ir::min(i, keys - 1), d);
      return select(index_value(c_, i) < index_value(c_, keys), x, x.number(0));
    };
    spec.score = [this, keys](const ScorePoint& p, Scalar x) {
      const Scalar own = c_.has_input(kSink) ? load_input(c_, kSink, {p.head}).cast(x.type()) : x.number(0);
      const Scalar other = score({p.batch, p.head, p.row, ir::min(p.key, keys - 1)}, x);
      return select(index_value(c_, p.key) < index_value(c_, keys), other, own);
    };
  }

  Scalar score(const ScorePoint& p, Scalar x) {
    if (const double cap = c_.number("softcap", 0); cap > 0) x = (x / cap).unary(ir::UnaryOp::tanh) * cap;
    if (c_.has_input(kAddend))
      x = x + load_inside(c_, c_.input_buffer(kAddend), mask_index(c_.shape(kAddend), p), number(c_, x.type(), 0));
    const Scalar hidden = scalar(c_, c_.exprs().constant(x.type(), -INFINITY)), key = index_value(c_, p.key);
    const Scalar seen = min(start(p.batch) + index_value(c_, p.row + 1), total(p.batch));
    if (const int64_t window = c_.integer("local_window_size", -1); window > 0)
      x = select(key >= seen - double(window), x, hidden);
    return select(key < seen, x, hidden);
  }
};

bool set(const Node& n, const char* name) {
  const auto it = n.attributes.find(name);
  return it != n.attributes.end() && std::holds_alternative<int64_t>(it->second) && std::get<int64_t>(it->second) > 0;
}

bool quantizes(const Node& n, const char* name) {
  const auto it = n.attributes.find(name);
  return it != n.attributes.end() && std::holds_alternative<std::string>(it->second) &&
         std::get<std::string>(it->second) != "NONE";
}

std::string refuse(const Graph&, const Node& n) {
  if (set(n, "qk_output")) return "qk_output is not supported";
  for (const char* name : {"k_quant_type", "v_quant_type"})
    if (quantizes(n, name)) return std::string(name) + " other than NONE is not supported";
  for (size_t i = kSink + 1; i < n.inputs.size(); i++)
    if (n.inputs[i] >= 0) return "a quantized cache is not supported";
  if (n.outputs.size() > kProducts && n.outputs[kProducts] >= 0) return "the output output_qk is not supported";
  return "";
}

}  // namespace

std::vector<Op> grouped_attention_ops() {
  return {
      {.name = "GroupQueryAttention",
       .domain = "com.microsoft",
       .versions = {{1,
                     "do_rotary:int k_quant_type:string kv_cache_bit_width:int kv_num_heads:int "
                     "local_window_size:int "
                     "num_heads:int qk_output:int rotary_interleaved:int scale:float smooth_softmax:int softcap:float "
                     "v_quant_type:string"}},
       .inputs = {1, 14},
       .outputs = 4,
       .infer = infer_grouped,
       .lower = [](LowerContext& c) { GroupedLowering(c).run(); },
       .refuse = refuse},
  };
}

}  // namespace cppgen::ops
