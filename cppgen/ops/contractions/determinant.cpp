// Det, and Inverse of com.microsoft: Gaussian elimination with row pivoting, one column after the other.
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

using ir::ReduceOp;

constexpr int64_t kMaxOrder = 64;  // each column adds nests of its own

void require_square(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_rank(c, 0, 2, -1);
  const Shape& x = c.shape(0);
  const int64_t n = constant_dim(c, x.back(), "the order of the matrices");
  require_equal(c, x[x.size() - 2], x.back(), "the last two dimensions");
  if (n > kMaxOrder) c.fail(fmt::format("matrices of order {}; at most {} are supported", n, kMaxOrder));
}

void infer_det(InferContext& c) {
  require_square(c);
  c.set_output(0, c.dtype(0), Shape(c.shape(0).begin(), c.shape(0).end() - 2));
}

void infer_inverse(InferContext& c) {
  require_square(c);
  c.set_output(0, c.dtype(0), c.shape(0));
}

struct Elimination {
  LowerContext& c;
  Shape batch;
  DType type;

  static At with(At batch_index, std::initializer_list<IndexExpr> rest) {
    batch_index.insert(batch_index.end(), rest);
    return batch_index;
  }

  // [batch]: of the rows after the first `done` ones, the one with the greatest magnitude in the first column, counted
  // from `done`.
  ir::BufferId pivots(ir::BufferId matrix, int64_t order, int64_t done = 0) const {
    ir::BufferId out = c.temporary(DType::i64, batch);
    ir::LoopNest nest;
    nest.name = "pivot";
    nest.loops = c.loops(batch);
    nest.reduced = c.loops({order}, "r");
    const At at = LowerContext::indices(nest.loops);
    const IndexExpr row = nest.reduced[0].var;
    ir::Reduction best{ReduceOp::argmax, DType::i64, abs(load(c, matrix, with(at, {row + done, IndexExpr()})))};
    best.position = row;
    nest.reductions.push_back(best);
    nest.stores.push_back({out, at, c.exprs().accumulator(0, DType::i64)});
    c.emit(std::move(nest));
    return out;
  }

  Scalar gathered_row(ir::BufferId matrix, const At& at, Scalar row, IndexExpr column) const {
    return load_gathered(c, matrix, with(at, {IndexExpr(), column}), {{int(at.size()), row}});
  }

  // [batch, order - 1, order - 1]: the first column is eliminated, and the first row takes the place of the pivot's.
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

  // [batch, order, columns - 1] of [batch, order, columns]: row `done` is the pivot's over its head, which is
  // eliminated from all others, also those above; the row that was there is where the pivot was.
  void reduce(ir::BufferId out, ir::BufferId matrix, ir::BufferId pivot, int64_t done) const {
    c.emit_pointwise(
        out,
        [&](const At& index) {
          const At at(index.begin(), index.end() - 2);
          const IndexExpr column = index.back() + 1;
          const Scalar top = load(c, pivot, at) + double(done), row = index_value(c, index[index.size() - 2]);
          const Scalar own = gathered_row(matrix, at, top, column) / gathered_row(matrix, at, top, 0);
          const Scalar source = select(row == top, row.number(double(done)), row);
          const Scalar rest = gathered_row(matrix, at, source, column) - gathered_row(matrix, at, source, 0) * own;
          return select(row == double(done), own, rest);
        },
        "reduce");
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

// Gauss-Jordan elimination on the matrix, extended by the identity.
void lower_inverse(LowerContext& c) {
  const Shape& x = c.shape(0);
  const int64_t n = x.back().constant(), rank = int64_t(x.size());
  const DType type = ir::value_type(c.dtype(0));
  const Elimination e{c, Shape(x.begin(), x.end() - 2), type};
  const auto with_columns = [&](int64_t columns) {
    Shape shape = x;
    shape.back() = columns;
    return c.temporary(type, shape);
  };
  if (n == 0) return c.emit_pointwise(c.output_buffer(0), [&](const At&) { return number(c, type, 0); });
  ir::BufferId matrix = with_columns(2 * n);
  c.emit_pointwise(
      matrix,
      [&](const At& at) {
        At own = at;
        own.back() = ir::min(at.back(), n - 1);
        const Scalar column = index_value(c, at.back());
        const Scalar one =
            select(column == index_value(c, at[size_t(rank) - 2] + n), number(c, type, 1), number(c, type, 0));
        return select(column < double(n), load_input(c, 0, own), one);
      },
      "beside_identity");
  for (int64_t done = 0; done < n; ++done) {
    const ir::BufferId pivot = e.pivots(matrix, n - done, done);
    const ir::BufferId out = done + 1 == n ? c.output_buffer(0) : with_columns(2 * n - done - 1);
    e.reduce(out, matrix, pivot, done);
    matrix = out;
  }
}

}  // namespace

std::vector<Op> determinant_ops() {
  return {
      {.name = "Det", .versions = {11, 22}, .inputs = 1, .infer = infer_det, .lower = lower_det},
      {.name = "Inverse",
       .domain = "com.microsoft",
       .versions = {1},
       .inputs = 1,
       .infer = infer_inverse,
       .lower = lower_inverse},
  };
}

}  // namespace cppgen::ops
