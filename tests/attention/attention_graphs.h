#pragma once
#include <map>
#include <string>

#include "tests/passes/graph_maker.h"

// Attention as models spell it.
namespace cppgen {

enum class Mask : uint8_t {
  none,
  additive,    // [rows, keys], float
  keys,        // [batch, 1, 1, keys], float: padding
  boolean,     // Where of [rows, keys]
  all_hidden,  // additive, -infinity for all keys of the first rows
};

struct AttentionShape {
  IndexExpr batch = 1, heads = 2, key_heads = 2, rows = 12, keys = 12, head_size = 8, columns = 8;
};

struct AttentionForm {
  AttentionShape shape;
  Mask mask = Mask::none;
  bool keys_transposed = false;  // in memory: [batch, heads, head_size, keys]
  bool heads_inside = false;     // queries, keys and values are [batch, sequence, heads, features]; so is the result
  bool scale_first = false;
  bool cap = false;  // tanh of the scores
  DType type = DType::f32;
};

inline ValueId operand(GraphMaker& g, const std::string& name, const AttentionForm& f, IndexExpr heads,
                       IndexExpr sequence, IndexExpr features) {
  if (!f.heads_inside) return g.input(name, {f.shape.batch, heads, sequence, features}, f.type);
  return g.node("Transpose", {g.input(name, {f.shape.batch, sequence, heads, features}, f.type)},
                {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}

// Each head of keys and values serves as many heads of queries.
inline ValueId repeated(GraphMaker& g, ValueId x, const AttentionShape& s, IndexExpr features) {
  if (s.key_heads == s.heads) return x;
  const int64_t h = s.key_heads.constant(), times = s.heads.constant() / h, d = features.constant();
  const ValueId shape = g.node("Shape", {x});
  const auto size = [&](int64_t i) { return g.node("Gather", {shape, g.ints({i})}); };
  ValueId wide = g.node("Unsqueeze", {x, g.ints({2})});
  wide = g.node("Expand",
                {wide, g.node("Concat", {size(0), g.ints({h, times}), size(2), g.ints({d})}, {{"axis", int64_t{0}}})});
  return g.node("Reshape",
                {wide, g.node("Concat", {size(0), g.ints({h * times}), size(2), g.ints({d})}, {{"axis", int64_t{0}}})});
}

inline ValueId masked(GraphMaker& g, ValueId scores, const AttentionForm& f) {
  const AttentionShape& s = f.shape;
  switch (f.mask) {
    case Mask::none:
      return scores;
    case Mask::additive:
      return g.node("Add", {scores, g.input("mask", {s.rows, s.keys}, f.type)});
    case Mask::keys:
      return g.node("Add", {scores, g.input("mask", {s.batch, 1, 1, s.keys}, f.type)});
    case Mask::boolean:
      return g.node("Where", {g.input("mask", {s.rows, s.keys}, DType::boolean), scores, g.floats({}, {-1e4}, f.type)});
    case Mask::all_hidden: {
      const int64_t rows = s.rows.constant(), keys = s.keys.constant();
      std::vector<double> values(size_t(rows * keys), 0);
      for (int64_t i = 0; i < rows * keys; i++)
        if (i / keys % 3 == 0 || i % keys < keys / 2) values[size_t(i)] = -INFINITY;
      return g.node("Add", {scores, g.floats({rows, keys}, values, f.type)});
    }
  }
  return scores;
}

// Returns the attention's result, without declaring it an output.
inline ValueId attention(GraphMaker& g, const AttentionForm& f) {
  const AttentionShape& s = f.shape;
  ValueId q = operand(g, "q", f, s.heads, s.rows, s.head_size);
  ValueId k = f.keys_transposed ? g.input("k", {s.batch, s.key_heads, s.head_size, s.keys}, f.type)
                                : operand(g, "k", f, s.key_heads, s.keys, s.head_size);
  ValueId v = operand(g, "v", f, s.key_heads, s.keys, s.columns);
  if (!f.keys_transposed)
    k = g.node("Transpose", {repeated(g, k, s, s.head_size)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  v = repeated(g, v, s, s.columns);
  const ValueId scale = g.floats({}, {0.3}, f.type);
  if (f.scale_first) q = g.node("Mul", {q, scale});
  ValueId scores = g.node("MatMul", {q, k});
  if (!f.scale_first) scores = g.node("Mul", {scores, scale});
  if (f.cap) scores = g.node("Tanh", {scores});
  ValueId weights = g.node("Softmax", {masked(g, scores, f)}, {{"axis", int64_t{-1}}});
  ValueId out = g.node("MatMul", {weights, v});
  return f.heads_inside ? g.node("Transpose", {out}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}) : out;
}

}  // namespace cppgen
