#pragma once
#include <functional>

#include "cppgen/ops/common.h"

namespace cppgen::ops {

// The first inputs of the operators of attention, and the outputs of those that keep a cache.
inline constexpr int kQuery = 0, kKey = 1, kValue = 2;
inline constexpr int kResult = 0, kPresentKey = 1, kPresentValue = 2, kProducts = 3;

// The sizes of an attention; each head of keys and values serves `group` heads of queries, head `k * group + g`.
struct AttentionSizes {
  IndexExpr batch, key_heads, group = 1, rows, keys, head_size, columns;
  IndexExpr heads() const { return key_heads * group; }
};

// One point of the scores.
struct ScorePoint {
  IndexExpr batch, head, row, key;
};

// out = softmax over keys of score(scale * query x key) x value, as nests for the products and the softmax.
struct AttentionSpec {
  AttentionSizes sizes;
  double scale = 1;
  bool hides_rows = false;  // a row's scores may all be -infinity; its result is 0
  // Loads: (batch, head, row, feature) of the queries; (batch, head of keys, key, feature) of the others.
  using Element = std::function<Scalar(IndexExpr batch, IndexExpr head, IndexExpr position, IndexExpr feature)>;
  Element query, key, value;
  using Score = std::function<Scalar(const ScorePoint&, Scalar product)>;
  Score score;
  ir::BufferId out = -1;
  std::function<std::vector<IndexExpr>(IndexExpr batch, IndexExpr head, IndexExpr row, IndexExpr feature)> out_at;
  // Optional results, [batch, heads, rows, keys]; -1 if not requested.
  ir::BufferId products = -1, weights = -1;
  Score shown = [](const ScorePoint&, Scalar product) { return product; };  // of each product
};
void emit_attention(LowerContext&, const AttentionSpec&);

// A tensor with the features of all heads in one dimension, [batch, sequence, heads * features], or with a dimension
// for heads, [batch, heads, sequence, features].
struct HeadedTensor {
  bool apart = false;
  IndexExpr batch, heads, sequence, features;
  std::vector<IndexExpr> at(IndexExpr b, IndexExpr head, IndexExpr position, IndexExpr feature) const;
  Shape shape() const;
};
// The layout of input `i`; `heads` is used if they share a dimension. Fails if it does not divide the features.
HeadedTensor headed_input(InferContext&, int i, const std::function<int64_t()>& heads);

// Past keys or values followed by those of this run: [batch, heads of keys, keys, features].
Shape cache_shape(const AttentionSizes&, IndexExpr features);
// The length of past keys, 0 if none are given.
IndexExpr cache_length(InferContext&, int past_key);
// Fails unless the inputs of past keys and values, if given, have the length `past`.
void check_cache(InferContext&, int past_key, int past_value, const AttentionSizes&, IndexExpr past);
// kept[.., past + sequence, ..] = past followed by the tensor, with a dimension for heads.
void emit_concatenated(LowerContext&, ir::BufferId past, IndexExpr past_length, ir::BufferId tensor,
                       const HeadedTensor&, ir::BufferId kept);

// Element of a mask that broadcasts to [batch, heads, rows, keys] from the right.
std::vector<IndexExpr> mask_index(const Shape& mask, const ScorePoint&);

// out = x with the first `2 * pairs` features of each head rotated, pair by pair: (first, second) becomes (first *
// cosine - second * sine, first * sine + second * cosine). A pair consists of two neighbours, or of one feature from
// each half.
struct RotarySpec {
  IndexExpr batch, heads, sequence, features, pairs;
  bool interleaved = false;
  AttentionSpec::Element x;
  std::function<Scalar(IndexExpr batch, IndexExpr position, IndexExpr pair)> cosine, sine;
  ir::BufferId out = -1;
  std::function<std::vector<IndexExpr>(IndexExpr batch, IndexExpr head, IndexExpr position, IndexExpr feature)> out_at;
};
void emit_rotary(LowerContext&, const RotarySpec&);

}  // namespace cppgen::ops
