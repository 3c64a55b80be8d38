#include "cppgen/ops/contractions/matmul.h"

namespace cppgen::ops {
namespace {

using ir::AxisRole;

constexpr DTypes kMatMulTypes = kFloats | bit(DType::i32) | bit(DType::i64) | bit(DType::u32) | bit(DType::u64);

bool varies_in_batch(const Shape& operand, size_t batch_rank, size_t d) {
  size_t own = operand.size() > 2 ? operand.size() - 2 : 0;
  return d + own >= batch_rank && !operand[d + own - batch_rank].is_constant(1);
}

// Batch dimensions in which only the rows' side varies count as rows, so that weights shared by all of them
// see one tall matrix. Extents of 1 follow their inner neighbour.
std::vector<AxisRole> batch_roles(const MatMulShapes& s) {
  std::vector<AxisRole> roles(s.batch.size());
  AxisRole inner = AxisRole::rows;
  for (size_t d = s.batch.size(); d-- > 0;) {
    bool right = varies_in_batch(s.b, s.batch.size(), d);
    if (right)
      inner = AxisRole::batch;
    else if (varies_in_batch(s.a, s.batch.size(), d))
      inner = AxisRole::rows;
    roles[d] = inner;
  }
  return roles;
}

// The index of an operand: its batch dimensions from `batch`, then `inner`.
std::vector<IndexExpr> operand_index(const Shape& operand, const std::vector<int>& order,
                                     const std::vector<IndexExpr>& batch, const std::vector<IndexExpr>& inner) {
  size_t own = operand.size() > 2 ? operand.size() - 2 : 0;
  std::vector<IndexExpr> at;
  for (size_t d = 0; d < own; ++d) at.push_back(broadcast_index(batch[batch.size() - own + d], operand[d]));
  at.insert(at.end(), inner.begin(), inner.end());
  if (order.empty()) return at;
  std::vector<IndexExpr> stored(at.size());
  for (size_t d = 0; d < at.size(); ++d) stored[size_t(order[d])] = at[d];
  return stored;
}

}  // namespace

MatMulShapes matmul_shapes(InferContext& c, const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) c.fail("an operand is a scalar");
  MatMulShapes s{a, b, {}, a.back(), {}, {}, {}};
  IndexExpr K = b.size() == 1 ? b[0] : b[b.size() - 2];
  s.k = require_equal(c, a.back(), K, "the inner dimensions of the operands");
  auto batch_of = [](const Shape& x) { return x.size() > 2 ? Shape(x.begin(), x.end() - 2) : Shape(); };
  s.batch = broadcast(c, batch_of(a), batch_of(b));
  s.result = s.batch;
  if (a.size() > 1) s.result.push_back(a[a.size() - 2]);
  if (b.size() > 1) s.result.push_back(b.back());
  require_size(c, s.result, DType::f64);
  return s;
}

void emit_matmul(LowerContext& c, const MatMulShapes& s, ir::BufferId a, ir::BufferId b, ir::BufferId out,
                 DType accumulate, const std::string& name) {
  ir::LoopNest nest;
  nest.name = name;
  nest.loops = c.loops(s.batch, "b");
  std::vector<IndexExpr> batch = LowerContext::indices(nest.loops);
  nest.roles = batch_roles(s);
  std::vector<IndexExpr> left, right;
  if (s.a.size() > 1) {
    nest.loops.push_back(c.loops({s.a[s.a.size() - 2]}, "m")[0]);
    nest.roles.push_back(AxisRole::rows);
    left.push_back(nest.loops.back().var);
  }
  nest.reduced = c.loops({s.k}, "k");
  IndexExpr k = nest.reduced[0].var;
  left.push_back(k);
  right.push_back(k);
  if (s.b.size() > 1) {
    nest.loops.push_back(c.loops({s.b.back()}, "n")[0]);
    nest.roles.push_back(AxisRole::columns);
    right.push_back(nest.loops.back().var);
  }
  nest.roles.push_back(AxisRole::k);
  Scalar product = load(c, a, operand_index(s.a, s.a_order, batch, left)).cast(accumulate) *
                   load(c, b, operand_index(s.b, s.b_order, batch, right)).cast(accumulate);
  nest.reductions.push_back({ir::ReduceOp::sum, accumulate, product});
  nest.stores.push_back({out, LowerContext::indices(nest.loops), c.exprs().accumulator(0, accumulate)});
  c.emit(std::move(nest));
}

namespace {

void infer_matmul(InferContext& c) {
  require_dtype(c, 0, kMatMulTypes);
  require_same_dtype(c, 0, 1);
  c.set_output(0, c.dtype(0), matmul_shapes(c, c.shape(0), c.shape(1)).result);
}

void lower_matmul(LowerContext& c) {
  emit_matmul(c, matmul_shapes(c, c.shape(0), c.shape(1)), c.input_buffer(0), c.input_buffer(1), c.output_buffer(0),
              ir::value_type(c.dtype(0)), "");
}

struct GemmShape {
  bool trans_a, trans_b;
  IndexExpr m, n, k;
};

GemmShape gemm_shape(InferContext& c) {
  GemmShape g{c.integer("transA", 0) != 0, c.integer("transB", 0) != 0, 0, 0, 0};
  require_rank(c, 0, 2, 2);
  require_rank(c, 1, 2, 2);
  const Shape& a = c.shape(0);
  const Shape& b = c.shape(1);
  g.m = a[g.trans_a ? 1 : 0];
  g.n = b[g.trans_b ? 0 : 1];
  g.k = require_equal(c, a[g.trans_a ? 0 : 1], b[g.trans_b ? 1 : 0], "the inner dimensions of the operands");
  return g;
}

}  // namespace

void infer_gemm(InferContext& c) {
  require_dtype(c, 0, kMatMulTypes);
  require_same_dtype(c, 0, 1);
  GemmShape g = gemm_shape(c);
  Shape out = {g.m, g.n};
  if (c.has_input(2)) {
    require_same_dtype(c, 0, 2);
    require_broadcasts_to(c, 2, out);
  } else if (c.node().domain.empty() && c.opset() < 11) {
    c.fail("input 2 is missing");
  }
  c.number("alpha", 1);
  c.number("beta", 1);
  c.set_output(0, c.dtype(0), out);
}

namespace {

void emit_gemm_product(LowerContext& c, const GemmShape& g, ir::BufferId out) {
  DType type = ir::value_type(c.dtype(0));
  ir::LoopNest nest;
  nest.loops = c.loops({g.m, g.n});
  nest.reduced = c.loops({g.k}, "k");
  nest.roles = {AxisRole::rows, AxisRole::columns, AxisRole::k};
  IndexExpr m = nest.loops[0].var, n = nest.loops[1].var, k = nest.reduced[0].var;
  Scalar a = g.trans_a ? load_input(c, 0, {k, m}) : load_input(c, 0, {m, k});
  Scalar b = g.trans_b ? load_input(c, 1, {n, k}) : load_input(c, 1, {k, n});
  nest.reductions.push_back({ir::ReduceOp::sum, type, a * b});
  nest.stores.push_back({out, {m, n}, c.exprs().accumulator(0, type)});
  c.emit(std::move(nest));
}

// Scales by a float attribute; integers through double.
Scalar scaled(Scalar x, double factor) {
  if (factor == 1) return x;
  if (is_float(x.type())) return x * factor;
  return (x.cast(DType::f64) * factor).cast(x.type());
}

}  // namespace

void emit_gemm(LowerContext& c, const std::function<Scalar(Scalar)>& finish) {
  GemmShape g = gemm_shape(c);
  double alpha = c.number("alpha", 1), beta = c.number("beta", 1);
  bool biased = c.has_input(2) && beta != 0;
  if (alpha == 1 && !biased && !finish) return emit_gemm_product(c, g, c.output_buffer(0));
  ir::BufferId product = c.temporary(ir::value_type(c.dtype(0)), {g.m, g.n});
  emit_gemm_product(c, g, product);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const auto& at) {
        Scalar x = scaled(load(c, product, at), alpha);
        if (biased) x = x + scaled(scalar(c, c.load_broadcast(2, at)), beta);
        return finish ? finish(x) : x;
      },
      "bias");
}

std::vector<Op> matmul_ops() {
  return {
      {.name = "MatMul", .versions = {1, 9, 13}, .inputs = 2, .infer = infer_matmul, .lower = lower_matmul},
      {.name = "Gemm",
       .versions = {{1, "alpha:float beta:float broadcast:int transA:int transB:int"}, 6, {7, "-broadcast"}, 9, 11, 13},
       .inputs = {2, 3},
       .infer = infer_gemm,
       .lower = [](LowerContext& c) { emit_gemm(c); }},
  };
}

}  // namespace cppgen::ops
