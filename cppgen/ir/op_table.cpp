#include "cppgen/ir/op_table.h"

#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

using enum OperandClass;

constexpr UnaryRow kUnary[] = {
    {UnaryOp::neg, "neg", number, false},
    {UnaryOp::abs, "abs", number, false},
    {UnaryOp::sign, "sign", number, false},
    {UnaryOp::bit_not, "bit_not", integer, false},
    {UnaryOp::logical_not, "logical_not", OperandClass::boolean, false},
    {UnaryOp::floor, "floor", floats, false},
    {UnaryOp::ceil, "ceil", floats, false},
    {UnaryOp::round, "round", floats, false},
    {UnaryOp::trunc, "trunc", floats, false},
    {UnaryOp::sqrt, "sqrt", floats, false},
    {UnaryOp::exp, "exp", floats, false},
    {UnaryOp::expm1, "expm1", floats, false},
    {UnaryOp::log, "log", floats, false},
    {UnaryOp::log1p, "log1p", floats, false},
    {UnaryOp::log2, "log2", floats, false},
    {UnaryOp::sin, "sin", floats, false},
    {UnaryOp::cos, "cos", floats, false},
    {UnaryOp::tan, "tan", floats, false},
    {UnaryOp::asin, "asin", floats, false},
    {UnaryOp::acos, "acos", floats, false},
    {UnaryOp::atan, "atan", floats, false},
    {UnaryOp::sinh, "sinh", floats, false},
    {UnaryOp::cosh, "cosh", floats, false},
    {UnaryOp::tanh, "tanh", floats, false},
    {UnaryOp::asinh, "asinh", floats, false},
    {UnaryOp::acosh, "acosh", floats, false},
    {UnaryOp::atanh, "atanh", floats, false},
    {UnaryOp::erf, "erf", floats, false},
    {UnaryOp::sigmoid, "sigmoid", floats, false},
    {UnaryOp::is_nan, "is_nan", floats, true},
    {UnaryOp::is_inf, "is_inf", floats, true},
    {UnaryOp::round_f16, "round_f16", float32, false},
    {UnaryOp::round_bf16, "round_bf16", float32, false},
    {UnaryOp::round_f8e4m3fn, "round_f8e4m3fn", float32, false},
    {UnaryOp::round_f8e4m3fnuz, "round_f8e4m3fnuz", float32, false},
    {UnaryOp::round_f8e5m2, "round_f8e5m2", float32, false},
    {UnaryOp::round_f8e5m2fnuz, "round_f8e5m2fnuz", float32, false},
};

constexpr BinaryRow kBinary[] = {
    {BinaryOp::add, "add", number},
    {BinaryOp::sub, "sub", number},
    {BinaryOp::mul, "mul", number},
    {BinaryOp::div, "div", number},
    {BinaryOp::mod_trunc, "mod_trunc", number},
    {BinaryOp::mod_floor, "mod_floor", number},
    {BinaryOp::min, "min", number_or_bool},
    {BinaryOp::max, "max", number_or_bool},
    {BinaryOp::pow, "pow", number},
    {BinaryOp::copysign, "copysign", floats},
    {BinaryOp::bit_and, "bit_and", bits},
    {BinaryOp::bit_or, "bit_or", bits},
    {BinaryOp::bit_xor, "bit_xor", bits},
    {BinaryOp::shl, "shl", integer},
    {BinaryOp::shr, "shr", integer},
    {BinaryOp::lt, "lt", number_or_bool},
    {BinaryOp::le, "le", number_or_bool},
    {BinaryOp::gt, "gt", number_or_bool},
    {BinaryOp::ge, "ge", number_or_bool},
    {BinaryOp::eq, "eq", number_or_bool},
    {BinaryOp::ne, "ne", number_or_bool},
};

template <class Row, size_t N>
constexpr bool in_order(const Row (&rows)[N]) {
  for (size_t i = 0; i < N; i++)
    if (static_cast<size_t>(rows[i].op) != i) return false;
  return true;
}
static_assert(in_order(kUnary) && std::size(kUnary) == static_cast<size_t>(UnaryOp::round_f8e5m2fnuz) + 1);
static_assert(in_order(kBinary) && std::size(kBinary) == static_cast<size_t>(BinaryOp::ne) + 1);

}  // namespace

const UnaryRow& row_of(UnaryOp op) { return kUnary[static_cast<size_t>(op)]; }
const BinaryRow& row_of(BinaryOp op) { return kBinary[static_cast<size_t>(op)]; }
std::string_view name_of(UnaryOp op) { return row_of(op).name; }
std::string_view name_of(BinaryOp op) { return row_of(op).name; }

bool allows(OperandClass c, DType t) {
  switch (c) {
    case number:
      return t != DType::boolean;
    case number_or_bool:
      return true;
    case floats:
      return is_float(t);
    case float32:
      return t == DType::f32;
    case integer:
      return is_int(t);
    case bits:
      return is_int(t) || t == DType::boolean;
    case OperandClass::boolean:
      return t == DType::boolean;
  }
  return false;
}

}  // namespace cppgen::ir
