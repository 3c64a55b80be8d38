// TfIdfVectorizer of integers: counts of n-grams, skip-grams included, and their weights.
#include <algorithm>

#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

enum class Weighting : uint8_t { tf, idf, tfidf };

struct Vocabulary {
  struct Grams {
    int64_t length;
    std::vector<int64_t> items;    // [grams][length]
    std::vector<int64_t> columns;  // [grams] of the output
    int64_t count() const { return int64_t(columns.size()); }
  };
  std::vector<Grams> grams;  // by length, only lengths that count
  int64_t columns = 0;
  std::vector<double> weights;  // by column
  Weighting mode;
  int64_t skips = 0;  // up to this many items are left out between neighbours
};

void read_weights(InferContext& c, const std::vector<int64_t>& columns, Vocabulary& v) {
  v.weights.assign(size_t(v.columns), 1);
  const Attribute* a = c.attribute("weights");
  if (!a) return;
  const auto* given = std::get_if<std::vector<float>>(a);
  if (!given || given->size() != columns.size())
    c.fail(fmt::format("attribute 'weights' is not {} floats", columns.size()));
  for (size_t g = 0; g < columns.size(); ++g) v.weights[size_t(columns[g])] = (*given)[g];
}

Vocabulary vocabulary(InferContext& c) {
  Vocabulary v;
  v.mode =
      choice<Weighting>(c, "mode", "", {{"TF", Weighting::tf}, {"IDF", Weighting::idf}, {"TFIDF", Weighting::tfidf}});
  const int64_t least = c.integer("min_gram_length"), most = c.integer("max_gram_length");
  v.skips = c.integer("max_skip_count");
  if (least < 1 || most < least || v.skips < 0) c.fail("gram lengths or the skip count are not allowed");
  const std::vector<int64_t> pool = c.integers("pool_int64s"), starts = c.integers("ngram_counts");
  const std::vector<int64_t> columns = c.integers("ngram_indexes");
  std::vector<int64_t> distinct = columns;
  std::sort(distinct.begin(), distinct.end());
  const bool repeated = std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end();
  if (columns.empty() || repeated || distinct.front() < 0 || distinct.back() >= int64_t(1) << 24)
    c.fail("attribute 'ngram_indexes' is not a list of distinct columns");
  v.columns = distinct.back() + 1;
  size_t gram = 0;
  for (size_t n = 0; n < starts.size(); ++n) {
    const int64_t length = int64_t(n) + 1, end = n + 1 < starts.size() ? starts[n + 1] : int64_t(pool.size());
    if (starts[n] < 0 || end < starts[n] || end > int64_t(pool.size()) || (end - starts[n]) % length != 0)
      c.fail("attribute 'ngram_counts' does not divide the pool");
    const size_t count = size_t((end - starts[n]) / length);
    if (gram + count > columns.size()) c.fail("there are fewer entries in 'ngram_indexes' than n-grams in the pool");
    if (length >= least && length <= most && count > 0)
      v.grams.push_back({length,
                         {pool.begin() + starts[n], pool.begin() + end},
                         {columns.begin() + int64_t(gram), columns.begin() + int64_t(gram + count)}});
    gram += count;
  }
  read_weights(c, columns, v);
  return v;
}

// A pool of strings alone has become one of integers before.
std::string refuse_strings(const Graph&, const Node& node) {
  return node.attributes.count("pool_strings") ? "attributes 'pool_strings' and 'pool_int64s' must not both be given"
                                               : "";
}

void infer_tf_idf(InferContext& c) {
  require_dtype(c, 0, bit(DType::i32) | bit(DType::i64));
  require_rank(c, 0, 1, 2);
  Shape to = c.shape(0);
  to.back() = vocabulary(c).columns;
  c.set_output(0, DType::f32, to);
}

// [rows.., grams]: how often each n-gram occurs in a row. Single items are counted once, whatever may be skipped.
ir::BufferId emit_counts(LowerContext& c, const Vocabulary& v, const Vocabulary::Grams& grams) {
  const Shape& x = c.shape(0);
  const IndexExpr row_length = x.back(), strides = grams.length == 1 ? 1 : v.skips + 1;
  ir::BufferId pool = c.constant_buffer(tensor_of(grams.items, {grams.count(), grams.length}));
  Shape to = x;
  to.back() = grams.count();
  ir::BufferId out = c.temporary(DType::i64, to);
  emit_reduction(c,
                 {"count",
                  out,
                  {row_length, strides},
                  ir::ReduceOp::sum,
                  [&](const At& at, const At& r) {
                    const IndexExpr stride = r[1] + 1, last = r[0] + stride * IndexExpr(grams.length - 1);
                    Scalar equal = index_value(c, last) < index_value(c, row_length), zero = number(c, DType::i64, 0);
                    for (int64_t k = 0; k < grams.length; ++k) {
                      At from = at;
                      from.back() = r[0] + stride * IndexExpr(k);
                      Scalar item = load_inside(c, c.input_buffer(0), from, number(c, c.dtype(0), 0)).cast(DType::i64);
                      equal = equal && item == load(c, pool, {at.back(), k});
                    }
                    return select(equal, zero.number(1), zero);
                  },
                  nullptr});
  return out;
}

// The count of the n-gram that belongs to a column; 0 for columns of other lengths.
Scalar count_at(LowerContext& c, const Vocabulary& v, const Vocabulary::Grams& grams, ir::BufferId counts,
                const At& at) {
  std::vector<int64_t> gram_of(size_t(v.columns), -1);
  for (int64_t g = 0; g < grams.count(); ++g) gram_of[size_t(grams.columns[size_t(g)])] = g;
  Scalar gram = load(c, c.constant_buffer(tensor_of(gram_of, {v.columns})), {at.back()});
  Scalar count = load_gathered(c, counts, at, {{int(at.size()) - 1, max(gram, 0.0)}});
  return select(gram >= 0.0, count, count.number(0));
}

void lower_tf_idf(LowerContext& c) {
  const Vocabulary v = vocabulary(c);
  std::vector<ir::BufferId> counts;
  for (const auto& grams : v.grams) counts.push_back(emit_counts(c, v, grams));
  ir::BufferId weights = c.constant_buffer(tensor_of(DType::f32, v.weights, {v.columns}));
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar count = number(c, DType::i64, 0);
    for (size_t n = 0; n < counts.size(); ++n) count = count + count_at(c, v, v.grams[n], counts[n], at);
    Scalar frequency = count.cast(DType::f32), weight = load(c, weights, {at.back()});
    if (v.mode == Weighting::tf) return frequency;
    if (v.mode == Weighting::tfidf) return frequency * weight;
    return select(count > 0.0, weight, weight.number(0));
  });
}

}  // namespace

std::vector<Op> encoding_ops() {
  return {
      {.name = "TfIdfVectorizer",
       .versions = {{9,
                     "max_gram_length:int max_skip_count:int min_gram_length:int mode:string ngram_counts:ints "
                     "ngram_indexes:ints pool_int64s:ints pool_strings:strings weights:floats"}},
       .inputs = 1,
       .infer = infer_tf_idf,
       .lower = lower_tf_idf,
       .refuse = refuse_strings},
  };
}

}  // namespace cppgen::ops
