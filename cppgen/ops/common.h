#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cppgen/ops/op.h"
#include "cppgen/ops/scalar.h"
#include "runtime/base/errors.h"
#include "runtime/plan/host_fields.h"

// Helpers that the operator families share. Every check throws a UserError that names the node.
namespace cppgen::ops {

using At = std::vector<IndexExpr>;  // the indices of an element, one for each dimension

// Sets of element types, as bit masks over DType.
using DTypes = uint32_t;
constexpr DTypes bit(DType t) { return DTypes(1) << int(t); }
template <class Accept>
constexpr DTypes types_that(Accept accept) {
  DTypes types = 0;
  for (int k = 0; k < kDTypeCount; ++k)
    if (accept(DType(k))) types |= bit(DType(k));
  return types;
}
// Types that can only be converted and moved (Elements::narrow).
inline constexpr DTypes kFloat8 = types_that(is_float8), kSmallInts = types_that(is_small_int);
inline constexpr DTypes kNarrow = types_that(is_narrow);
inline constexpr DTypes kFloats = types_that(is_float) & ~kNarrow;
inline constexpr DTypes kSigned = types_that(is_signed_int) & ~kNarrow;
inline constexpr DTypes kUnsigned = types_that(is_unsigned_int) & ~kNarrow;
inline constexpr DTypes kInts = kSigned | kUnsigned;
inline constexpr DTypes kNumbers = kFloats | kInts;
inline constexpr DTypes kBool = bit(DType::boolean);
inline constexpr DTypes kAll = kNumbers | kBool;

void require_dtype(InferContext&, int input, DTypes allowed);
void require_same_dtype(InferContext&, int first, int second);
void require_rank(InferContext&, int input, int least, int most);
// Fails unless the input has one element, whatever its rank. A symbolic dimension becomes 1; a dimension that is known
// only at run time is compared before the node runs.
void require_one_element(InferContext&, int input, const char* what);
// The element type of ONNX's TensorProto.DataType number.
DType dtype_of_onnx(InferContext&, int64_t number);

// An axis in [-rank, rank) as one in [0, rank).
int normalized_axis(InferContext&, int64_t axis, int rank);
std::vector<int> normalized_axes(InferContext&, const std::vector<int64_t>& axes, int rank);  // distinct, ascending
// Axes from attribute `axes` or input `i` (whichever there is); nullopt if neither is given.
std::optional<std::vector<int64_t>> axes_argument(InferContext&, int input);

// The one extent of two dimensions that must agree; symbolic dimensions agree if they are the same expression. If one
// of them is known only at run time, they are compared before the node runs (compared_in_run).
IndexExpr require_equal(InferContext&, IndexExpr a, IndexExpr b, const char* what);
void require_at_most(InferContext&, IndexExpr a, IndexExpr b, const std::string& otherwise);  // a <= b
// The shape that operands of these shapes broadcast to, aligned at the right. Where only a run knows whether a
// dimension is 1, the result is an expression that is right either way, and the dimensions are checked before the node
// runs. So an operand must be read at broadcast_index.
Shape broadcast(InferContext&, const Shape&, const Shape&);
Shape broadcast_inputs(InferContext&, int first = 0);
// Does the same for two dimensions; nullopt if they do not broadcast for all values of the model's symbols.
std::optional<IndexExpr> broadcast_dimensions(InferContext&, IndexExpr, IndexExpr);
// Returns whether a dimension is this one or 1, which repeats; where only a run knows, it checks. Read at
// broadcast_index.
bool broadcasts_to(InferContext&, IndexExpr own, IndexExpr wanted);
// Fails unless input `i` broadcasts to exactly this shape; it must be read at broadcast_index.
void require_broadcasts_to(InferContext&, int i, const Shape&);
// Fails if the shape cannot be a tensor: more than 2^63 elements or bytes, a negative dimension.
void require_size(InferContext&, const Shape&, DType);
std::vector<int64_t> constant_dims(InferContext&, const Shape&, const char* what);  // all must be constant
int64_t constant_dim(InferContext&, IndexExpr, const char* what);
bool is_zero_sized(const Shape&);  // some extent is the constant 0

// Lowering
inline Scalar scalar(LowerContext& c, ir::Expr e) { return {&c.exprs(), e}; }
inline Scalar load(LowerContext& c, ir::BufferId b, std::vector<IndexExpr> at) {
  return scalar(c, c.load(b, std::move(at)));
}
inline Scalar load_input(LowerContext& c, int i, std::vector<IndexExpr> at) {
  return load(c, c.input_buffer(i), std::move(at));
}
// The value of an input that passed require_one_element.
inline Scalar only_element(LowerContext& c, int i) {
  return load_input(c, i, std::vector<IndexExpr>(c.shape(i).size()));
}
inline Scalar number(LowerContext& c, DType value_type, double v) {
  return is_float(value_type) ? scalar(c, c.exprs().constant(value_type, v))
                              : scalar(c, c.exprs().constant_int(value_type, int64_t(v)));
}
inline Scalar index_value(LowerContext& c, IndexExpr e, DType type = DType::i64) {
  return scalar(c, c.exprs().index(e)).cast(type);
}
// A load at indices that may be outside the buffer, where the value is `otherwise`; guards are omitted if ranges prove
// them unnecessary.
Scalar load_inside(LowerContext&, ir::BufferId, std::vector<IndexExpr> at, Scalar otherwise);
// A load along `axis` at a value that is checked against the extent (negative: counted from the end).
struct Gathered {
  int axis;
  Scalar position;
};
Scalar load_gathered(LowerContext&, ir::BufferId, std::vector<IndexExpr> at, const std::vector<Gathered>&);
// Does the same for a buffer that may be empty: the position 0 is then allowed, and the value is `otherwise`.
Scalar load_gathered_or(LowerContext&, ir::BufferId, std::vector<IndexExpr> at, const std::vector<Gathered>&,
                        Scalar otherwise);

// A temporary of the positions in `shape` of an axis of this extent: position(at), counted from the end if negative. A
// run with a position out of range ends with an error that names the node and `what`.
ir::BufferId emit_checked_positions(LowerContext&, const Shape&, IndexExpr extent, const std::string& what,
                                    const std::function<Scalar(const std::vector<IndexExpr>&)>& position);

// output[at] = finish(op over `reduced` of value(at, reduced index)).
struct ReductionSpec {
  std::string name;
  ir::BufferId output;
  Shape reduced;
  ir::ReduceOp op;
  std::function<Scalar(const std::vector<IndexExpr>& at, const std::vector<IndexExpr>& reduced)> value;
  std::function<Scalar(Scalar)> finish;  // null: the result itself
  // Loops other than those over the output's shape, and the output index for a point of them.
  std::optional<Shape> loops{};
  std::function<std::vector<IndexExpr>(const std::vector<IndexExpr>& at)> store_at{};
};
void emit_reduction(LowerContext&, const ReductionSpec&);
// The smallest and largest number of a value type; infinities for floats.
Scalar lowest(LowerContext&, DType value_type);
Scalar highest(LowerContext&, DType value_type);

// Constant tensors.
Tensor tensor_of(const std::vector<int64_t>&, std::vector<int64_t> dims);  // int64
Tensor tensor_of(DType float_type, const std::vector<double>&, std::vector<int64_t> dims);
double float_element(const Tensor&, int64_t);                  // element i of any tensor
std::vector<double> float_elements(InferContext&, int input);  // of a constant input

// A call of a host function, and one without attributes for `host` of a row.
rt::HostStep host_call(std::string function);
template <class Call>
rt::HostStep host_call(std::string function, Call fields) {
  rt::HostStep step = host_call(std::move(function));
  rt::set_fields(step, std::move(fields));
  return step;
}
template <const char* Function>
rt::HostStep host_call_of(InferContext&) {
  return host_call(Function);
}

// Stores the shape that all inputs broadcast to, for `resolve`.
void resolve_broadcast(LowerContext&, ir::BufferId dims);

}  // namespace cppgen::ops
