#include "cppgen/codegen/operation_text.h"

#include <cmath>
#include <optional>

#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::BinaryOp;
using ir::UnaryOp;

Code unary_text(ir::Expr e, const Code& a) {
  if (e->args[0]->type == DType::boolean) {
    if (e->unary == UnaryOp::logical_not || e->unary == UnaryOp::bit_not) return code("vec::m_not({})", a);
    internal_error("codegen: {} of a bool", ir::name_of(e->unary));
  }
  switch (e->unary) {
    case UnaryOp::neg:
      return "-" + a;
    case UnaryOp::abs:
      return code("vec::abs({})", a);
    case UnaryOp::sign:
      return code("vec::sign({})", a);
    case UnaryOp::bit_not:
      return code("vec::bit_not({})", a);
    case UnaryOp::floor:
      return code("vec::floor({})", a);
    case UnaryOp::ceil:
      return code("vec::ceil({})", a);
    case UnaryOp::round:
      return code("vec::round_even({})", a);
    case UnaryOp::trunc:
      return code("vec::trunc({})", a);
    case UnaryOp::sqrt:
      return code("vec::sqrt({})", a);
    case UnaryOp::is_nan:
      return code("vec::is_nan({})", a);
    case UnaryOp::is_inf:
      return code("vec::is_inf({})", a);
    case UnaryOp::round_f16:
      return code("vec::cast<vec::f16>({})", a);
    case UnaryOp::round_bf16:
      return code("vec::cast<vec::bf16>({})", a);
    case UnaryOp::round_f8e4m3fn:
      return code("vec::cast<vec::f8e4m3fn>({})", a);
    case UnaryOp::round_f8e4m3fnuz:
      return code("vec::cast<vec::f8e4m3fnuz>({})", a);
    case UnaryOp::round_f8e5m2:
      return code("vec::cast<vec::f8e5m2>({})", a);
    case UnaryOp::round_f8e5m2fnuz:
      return code("vec::cast<vec::f8e5m2fnuz>({})", a);
    case UnaryOp::logical_not:
      internal_error("codegen: logical_not of a number");
    default:
      return code("vec::{}({}, {})", ir::name_of(e->unary), kRuntime, a);
  }
}

static Code mask_text(BinaryOp op, const Code& a, const Code& b) {
  switch (op) {
    case BinaryOp::bit_and:
    case BinaryOp::mul:
    case BinaryOp::min:
      return code("vec::m_and({}, {})", a, b);
    case BinaryOp::bit_or:
    case BinaryOp::add:
    case BinaryOp::max:
      return code("vec::m_or({}, {})", a, b);
    case BinaryOp::bit_xor:
    case BinaryOp::ne:
      return code("vec::m_xor({}, {})", a, b);
    case BinaryOp::eq:
      return code("vec::m_not(vec::m_xor({}, {}))", a, b);
    case BinaryOp::lt:
      return code("vec::m_and(vec::m_not({}), {})", a, b);
    case BinaryOp::gt:
      return code("vec::m_and({}, vec::m_not({}))", a, b);
    case BinaryOp::le:
      return code("vec::m_or(vec::m_not({}), {})", a, b);
    case BinaryOp::ge:
      return code("vec::m_or({}, vec::m_not({}))", a, b);
    default:
      internal_error("codegen: {} of bools", ir::name_of(op));
  }
}

// A float32 power that products and roots give.
static std::optional<int> exponent_in_quarters(ir::Expr e) {
  ir::Expr exponent = e->args[1];
  if (e->type != DType::f32 || exponent->kind != ir::ExprKind::constant) return std::nullopt;
  for (int quarters : {-4, -2, 1, 2, 3, 6, 8, 12})
    if (exponent->float_value() == quarters / 4.0) return quarters;
  return std::nullopt;
}

// max or min of x and a constant: fewer instructions than for two values that may be NaN or zeros of either sign.
static Code bounded_text(BinaryOp op, ir::Expr constant, const Code& x, const Code& bound) {
  const double value = constant->float_value();
  const bool positive_zero = value == 0 && !std::signbit(value), negative_zero = value == 0 && std::signbit(value);
  if (op == BinaryOp::max && positive_zero) return code("vec::at_least_zero({})", x);
  if (op == BinaryOp::max) return code("vec::at_least({}, {})", x, bound);
  return code("vec::{}({}, {})", negative_zero ? "min" : "at_most", x, bound);
}

static Code extremum_text(ir::Expr e, const Code& a, const Code& b) {
  const auto is_number = [](ir::Expr x) {
    return x->kind == ir::ExprKind::constant && is_float(x->type) && !std::isnan(x->float_value());
  };
  if (is_number(e->args[1])) return bounded_text(e->binary, e->args[1], a, b);
  if (is_number(e->args[0])) return bounded_text(e->binary, e->args[0], b, a);
  return code("vec::{}({}, {})", ir::name_of(e->binary), a, b);
}

Code binary_text(ir::Expr e, const Code& a, const Code& b) {
  if (e->args[0]->type == DType::boolean) return mask_text(e->binary, a, b);
  switch (e->binary) {
    case BinaryOp::add:
      return code("{} + {}", a, b);
    case BinaryOp::sub:
      return code("{} - {}", a, b);
    case BinaryOp::mul:
      return code("{} * {}", a, b);
    case BinaryOp::min:
    case BinaryOp::max:
      return extremum_text(e, a, b);
    case BinaryOp::pow:
      if (const auto quarters = exponent_in_quarters(e)) return code("vec::power_of_quarters<{}>({})", *quarters, a);
      return code("vec::pow({}, {}, {})", kRuntime, a, b);
    default:
      return code("vec::{}({}, {})", ir::name_of(e->binary), a, b);
  }
}

}  // namespace cppgen::codegen
