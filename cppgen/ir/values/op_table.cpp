#include "cppgen/ir/values/op_table.h"

#include <limits>

namespace cppgen::ir {

namespace {

using enum OperationCost;
using enum NeutralSide;

constexpr bool same = false, truth = true;  // what a row says of the result

constexpr UnaryRow kUnary[] = {
#define CPPGEN_UNARY(op, operand, result, emitted) \
  {UnaryOp::op, #op, OperandClass::operand, result, instruction, 0, false, emitted},
#define CPPGEN_FUNCTION(op, of_double, chain, fast) \
  {UnaryOp::op, #op, OperandClass::floats, same, function, chain, fast, "vec::" #op "(rt, {})"},
#include "cppgen/ir/values/operations.def"
};

constexpr BinaryRow kBinary[] = {
#define CPPGEN_BINARY(op, operands, cost, neutral, side, emitted, of_masks) \
  {BinaryOp::op, #op, OperandClass::operands, false, cost, neutral, side, emitted, of_masks},
#define CPPGEN_COMPARISON(op, of_masks) \
  {BinaryOp::op, #op, OperandClass::number_or_bool, true, instruction, 0, none, "vec::" #op "({}, {})", of_masks},
#include "cppgen/ir/values/operations.def"
};

constexpr ReductionRow kReductions[] = {
#define CPPGEN_REDUCTION(op, operands, combine, state, start, over_lanes, over_masks) \
  {ReduceOp::op, #op, OperandClass::operands, BinaryOp::combine, ReductionStart::start, false, over_lanes, over_masks},
#define CPPGEN_POSITION_REDUCTION(op, greatest) \
  {ReduceOp::op, #op, OperandClass::number_or_bool, std::nullopt, ReductionStart::zero, greatest, "", ""},
#include "cppgen/ir/values/operations.def"
};

}  // namespace

const UnaryRow& row_of(UnaryOp op) { return kUnary[static_cast<size_t>(op)]; }
const BinaryRow& row_of(BinaryOp op) { return kBinary[static_cast<size_t>(op)]; }
const ReductionRow& row_of(ReduceOp op) { return kReductions[static_cast<size_t>(op)]; }
const ReductionRow* combining_reduction(std::string_view name) {
  for (const ReductionRow& row : kReductions)
    if (row.combine && row.name == name) return &row;
  return nullptr;
}
std::string_view name_of(UnaryOp op) { return row_of(op).name; }
std::string_view name_of(BinaryOp op) { return row_of(op).name; }
std::string_view name_of(ReduceOp op) { return row_of(op).name; }
bool is_comparison(BinaryOp op) { return row_of(op).compares; }
bool gives_position(ReduceOp op) { return !row_of(op).combine; }
std::optional<BinaryOp> combining(ReduceOp op) { return row_of(op).combine; }

namespace {

// Least and greatest value of an integer type of this width.
int64_t least_int(DType t) { return is_signed_int(t) ? -(int64_t(1) << (8 * size_of(t) - 2)) * 2 : 0; }
int64_t greatest_int(DType t) {
  if (t == DType::boolean) return 1;
  if (t == DType::u64) return -1;
  return is_signed_int(t) ? ~least_int(t) : (int64_t(1) << (8 * size_of(t))) - 1;
}

}  // namespace

Expr identity(ExprArena& exprs, ReduceOp op, DType t) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (row_of(op).start) {
    case ReductionStart::zero:
      return exprs.zero(t);
    case ReductionStart::one:
      return is_float(t) ? exprs.constant(t, 1) : exprs.constant_int(t, 1);
    case ReductionStart::least:
      return is_float(t) ? exprs.constant(t, -infinity) : exprs.constant_int(t, least_int(t));
    default:
      return is_float(t) ? exprs.constant(t, infinity) : exprs.constant_int(t, greatest_int(t));
  }
}

bool allows(OperandClass c, DType t) {
  switch (c) {
    case OperandClass::number:
      return t != DType::boolean;
    case OperandClass::number_or_bool:
      return true;
    case OperandClass::floats:
      return is_float(t);
    case OperandClass::float32:
      return t == DType::f32;
    case OperandClass::integer:
      return is_int(t);
    case OperandClass::bits:
      return is_int(t) || t == DType::boolean;
    case OperandClass::boolean:
      return t == DType::boolean;
  }
  return false;
}

}  // namespace cppgen::ir
