// Det: Gaussian elimination with row pivoting, one column after the other.
#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"

namespace cppgen::ops {
namespace {

using At = std::vector<IndexExpr>;
using ir::ReduceOp;

constexpr int64_t kMaxOrder = 64;  // each column adds nests of its own

void infer_det(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  const Shape& x = c.shape(0);
  const int64_t n = constant_dim(c, x.back(), "the order of the matrices");
  require_equal(c, x[x.size() - 2], x.back(), "the last two dimensions");
  if (n > kMaxOrder) c.fail(fmt::format("matrices of order {}; at most {} are supported", n, kMaxOrder));
  c.set_output(0, c.dtype(0), Shape(x.begin(), x.end() - 2));
}

struct Elimination {
  LowerContext& c;
  Shape batch;
  DType type;

  static At with(At batch_index, std::initializer_list<IndexExpr> rest) {
    batch_index.insert(batch_index.end(), rest);
    return batch_index;
  }

  // [batch]: the row, from 0 of this matrix, of the greatest magnitude in the first column.
  ir::BufferId pivots(ir::BufferId matrix, int64_t order) const {
    ir::BufferId out = c.temporary(DType::i64, batch);
    ir::LoopNest nest;
    nest.name = "pivot";
    nest.loops = c.loops(batch);
    nest.reduced = c.loops({order}, "r");
    const At at = LowerContext::indices(nest.loops);
    const IndexExpr row = nest.reduced[0].var;
    ir::Reduction best{ReduceOp::argmax, DType::i64, abs(load(c, matrix, with(at, {row, IndexExpr()})))};
    best.position = row;
    nest.reductions.push_back(best);
    nest.stores.push_back({out, at, c.exprs().accumulator(0, DType::i64), {}});
    c.emit(std::move(nest));
    return out;
  }

  Scalar gathered_row(ir::BufferId matrix, const At& at, Scalar row, IndexExpr column) const {
    return load_gathered(c, matrix, with(at, {IndexExpr(), column}), {{int(at.size()), row}});
  }

  // [batch, order - 1, order - 1]: the first column eliminated, the first row put where the pivot was.
  ir::BufferId eliminate(ir::BufferId matrix, ir::BufferId pivot, int64_t order) const {
    Shape smaller = batch;
    smaller.insert(smaller.end(), 2, order - 1);
    ir::BufferId out = c.temporary(type, smaller);
    c.emit_pointwise(
        out,
        [&](const At& index) {
          const At at(index.begin(), index.end() - 2);
          const IndexExpr column = index.back() + 1;
          Scalar top = load(c, pivot, at), row = index_value(c, index[index.size() - 2] + 1);
          Scalar source = select(row == top, row.number(0), row);
          Scalar head = gathered_row(matrix, at, top, 0);
          Scalar factor = gathered_row(matrix, at, source, 0) / select(head == 0.0, head.number(1), head);
          return gathered_row(matrix, at, source, column) - factor * gathered_row(matrix, at, top, column);
        },
        "eliminate");
    return out;
  }

  // [batch]: `before` (1 if there is none) times the pivot, negated if rows were exchanged.
  ir::BufferId multiply(ir::BufferId out, std::optional<ir::BufferId> before, ir::BufferId matrix,
                        ir::BufferId pivot) const {
    c.emit_pointwise(
        out,
        [&](const At& at) {
          Scalar top = load(c, pivot, at), head = gathered_row(matrix, at, top, 0);
          Scalar factor = select(top == 0.0, head, -head);
          return before ? load(c, *before, at) * factor : factor;
        },
        "multiply");
    return out;
  }
};

void lower_det(LowerContext& c) {
  const Shape& x = c.shape(0);
  const int64_t n = x.back().constant();
  const DType type = ir::value_type(c.dtype(0));
  if (n == 0) return c.emit_pointwise(c.output_buffer(0), [&](const At&) { return number(c, type, 1); });
  const Elimination e{c, Shape(x.begin(), x.end() - 2), type};
  ir::BufferId matrix = c.input_buffer(0);
  std::optional<ir::BufferId> product;
  for (int64_t order = n; order > 0; --order) {
    ir::BufferId pivot = e.pivots(matrix, order);
    product = e.multiply(order == 1 ? c.output_buffer(0) : c.temporary(type, e.batch), product, matrix, pivot);
    if (order > 1) matrix = e.eliminate(matrix, pivot, order);
  }
}

}  // namespace

void add_determinant_ops(std::vector<Op>& t) { add_versions(t, "Det", {11, 22}, {1, 1, 1}, infer_det, lower_det); }

}  // namespace cppgen::ops
