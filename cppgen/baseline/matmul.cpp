// MatMul and Gemm.
#include <algorithm>

#include "cppgen/baseline/primitives.h"

namespace cppgen::baseline {
namespace {

struct Product {
  Operand a, b;  // [batch.., m, k] and [batch.., k, n] with as many dimensions, a batch dimension of 1 repeats
  Dims dims;     // of the result
};

Dims batches(const Dims& dims) { return Dims(dims.begin(), dims.end() - 2); }

// A layout that the primitive reads directly: one of the last two axes has stride 1.
Operand matrix(Builder& b, const Operand& given) {
  const Operand operand = b.plain(given);
  const Dims strides = strides_of(operand.desc), dims = dims_of(operand.desc);
  const size_t rank = dims.size();
  const auto fits = [&](size_t inner, size_t outer) {
    return (strides[inner] == 1 || dims[inner] == 1) && (strides[outer] >= dims[inner] || dims[outer] == 1);
  };
  if (!fits(rank - 1, rank - 2) && !fits(rank - 2, rank - 1)) return b.in_row_major(operand);
  if (rank < 4 || is_dense(operand.desc)) return operand;
  return b.laid_out(operand, dense_in_order(dims, order_of(operand.desc)));
}

// Rows of all batches as one matrix where one matrix of weights serves them all; else two batch dimensions if there are
// so few: oneDNN's best kernels know heads and rows that have changed places as layouts of four dimensions only.
void arrange_batches(Builder& b, Product& p) {
  const Dims a = dims_of(p.a.desc), w = dims_of(p.b.desc);
  const int64_t m = a[a.size() - 2], k = a.back(), n = w.back();
  const int64_t count = element_count(batches(p.dims));
  if (element_count(batches(w)) == 1 && element_count(batches(a)) == count) {
    p = {b.viewed(p.a, {count * m, k}), b.viewed(p.b, {k, n}), {count * m, n}};
    return;
  }
  Dims left, right, out;
  for (size_t i = 0; i + 2 < p.dims.size(); i++) {
    if (p.dims[i] == 1) continue;
    left.push_back(a[i]), right.push_back(w[i]), out.push_back(p.dims[i]);
  }
  const auto with = [](Dims dims, int64_t rows, int64_t columns) {
    dims.insert(dims.end(), {rows, columns});
    return aligned(dims, 4);
  };
  p = {b.viewed(p.a, with(left, m, k)), b.viewed(p.b, with(right, k, n)), with(out, m, n)};
}

// The result's layout: such that a transposition that alone reads it is a view of a dense tensor.
Desc destination(Builder& b, const Unit& unit, const Dims& dims) {
  const ValueId result = result_of(b.graph(), unit);
  const Dims full = b.dims(result);
  const NodeId only = b.users().only_node(result);
  const Node* reader = only < 0 ? nullptr : &b.node(only);
  if (!reader || reader->op != "Transpose") return row_major(dims);
  const auto perm = reader->attributes.find("perm");
  if (perm == reader->attributes.end()) return row_major(dims);
  const auto& axes = std::get<std::vector<int64_t>>(perm->second);
  const Desc wanted = dense_in_order(full, std::vector<int>(axes.begin(), axes.end()));
  const auto desc = reshaped(wanted, dims);
  return desc && (strides_of(*desc).back() == 1) ? *desc : row_major(dims);
}

// The primitive's bias: an addition of one number per column right behind it.
std::optional<Operand> take_flat_bias(Builder& b, const Unit& unit, const Dims& dims, size_t& begin) {
  if (unit.nodes.size() < 2 || begin > 1) return std::nullopt;
  const Node& next = b.node(unit.nodes[1]);
  if (next.op != "Add" || eltwise_of(b.graph(), next)) return std::nullopt;
  const ValueId before = b.node(unit.nodes[0]).outputs[0];
  const Dims other = b.dims(next.inputs[next.inputs[0] == before ? 1 : 0]);
  if (other.back() != dims.back() || element_count(other) != dims.back()) return std::nullopt;
  begin = 2;
  return vector_operand(b, next.inputs[next.inputs[0] == before ? 1 : 0], dims.back());
}

Operand as_bias(Builder& b, const Operand& vector, const Dims& dims) {
  return b.viewed(vector, aligned({dims.back()}, dims.size()));
}

bool is_constant(Builder& b, ValueId v) { return b.graph().value(v).constant.has_value(); }

void add_product(Builder& b, const Unit& unit, Product p, std::optional<Operand> bias, bool constant_weights,
                 const OwnPostOps& own = {}) {
  arrange_batches(b, p);
  p.a = matrix(b, p.a);
  const Desc dst = destination(b, unit, p.dims);
  size_t begin = 1;
  if (!bias && own.before == 1 && own.addend == kNoValue && own.after == 1)
    bias = take_flat_bias(b, unit, p.dims, begin);
  if (bias) bias = as_bias(b, *bias, p.dims);
  const PostOps post = post_ops_of(b, unit, dst, begin, own);
  if (!constant_weights) p.b = matrix(b, p.b);
  const Desc weights = constant_weights
                           ? Desc(dims_of(p.b.desc), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any)
                           : p.b.desc;
  const auto pd =
      primitive_desc<dnnl::matmul>(b.engine(), post.attributes, p.a.desc, weights, bias ? bias->desc : Desc(), dst);
  std::vector<std::pair<int, Operand>> arguments{{DNNL_ARG_SRC, p.a},
                                                 {DNNL_ARG_WEIGHTS, b.laid_out(p.b, pd.weights_desc())}};
  if (bias) arguments.emplace_back(DNNL_ARG_BIAS, *bias);
  finish<dnnl::matmul>(b, unit, "matmul", pd, post, std::move(arguments), dst);
}

Operand transposed(Builder& b, ValueId v, bool yes) {
  Operand operand = b.plain(b.get(v));
  if (yes) operand.desc = permuted(operand.desc, {1, 0});
  return operand;
}

float number(const Node& node, const char* name) {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? 1.0f : std::get<float>(at->second);
}

bool flag(const Node& node, const char* name) {
  const auto at = node.attributes.find(name);
  return at != node.attributes.end() && std::get<int64_t>(at->second) != 0;
}

}  // namespace

void map_matmul(Builder& b, const Unit& unit) {
  const Node& node = b.node(unit.nodes[0]);
  Operand left = b.plain(b.get(node.inputs[0])), right = b.plain(b.get(node.inputs[1]));
  const auto rank_of = [&](ValueId v) { return b.graph().value(v).type->shape.size(); };
  Dims a = dims_of(left.desc), w = dims_of(right.desc);
  if (rank_of(node.inputs[0]) == 1) a = {1, a[0]};
  if (rank_of(node.inputs[1]) == 1) w = {w[0], 1};
  const size_t rank = std::max(a.size(), w.size());
  a = aligned(a, rank), w = aligned(w, rank);
  Product p{b.viewed(left, a), b.viewed(right, w), a};
  for (size_t i = 0; i + 2 < rank; i++) p.dims[i] = std::max(a[i], w[i]);
  p.dims[rank - 1] = w[rank - 1];
  add_product(b, unit, std::move(p), std::nullopt, is_constant(b, node.inputs[1]));
}

// alpha * a x b + beta * c = beta * (alpha / beta * a x b + c)
void map_gemm(Builder& b, const Unit& unit) {
  const Node& node = b.node(unit.nodes[0]);
  const Product p{transposed(b, node.inputs[0], flag(node, "transA")),
                  transposed(b, node.inputs[1], flag(node, "transB")), b.dims(node.outputs[0])};
  const float alpha = number(node, "alpha"), beta = number(node, "beta");
  const ValueId c = node.inputs.size() > 2 && beta != 0 ? node.inputs[2] : kNoValue;
  if (c == kNoValue) return add_product(b, unit, p, std::nullopt, is_constant(b, node.inputs[1]), {alpha});
  const Dims dims = b.dims(c);
  const bool is_bias = dims.back() == p.dims[1] && element_count(dims) == p.dims[1];
  if (is_bias && alpha == 1 && beta == 1)
    add_product(b, unit, p, vector_operand(b, c, p.dims[1]), is_constant(b, node.inputs[1]));
  else
    add_product(b, unit, p, std::nullopt, is_constant(b, node.inputs[1]), {alpha / beta, c, beta});
}

}  // namespace cppgen::baseline
