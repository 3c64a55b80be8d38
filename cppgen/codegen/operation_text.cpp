#include "cppgen/codegen/operation_text.h"

#include <cmath>

#include "cppgen/ir/values/op_table.h"
#include "cppgen/kernel/instructions.h"
#include "runtime/base/errors.h"

namespace cppgen::codegen {

using ir::BinaryOp;

Code unary_text(ir::Expr e, const Code& a, const Options& options) {
  const ir::UnaryRow& row = ir::row_of(e->unary);
  if (options.use_fast_math && row.fast && e->type == DType::f32)
    return code("vec::fast::{}({}, {})", row.name, kRuntime, a);
  Code text(fmt::format(fmt::runtime(row.emitted), a));
  text.using_names_of(a);
  return row.cost == ir::OperationCost::function ? text.using_names_of(kRuntime) : text;
}

Code binary_text(BinaryOp op, bool masks, const Code& a, const Code& b) {
  const ir::BinaryRow& row = ir::row_of(op);
  if (masks && row.of_masks.empty()) internal_error("codegen: {} of bools", row.name);
  Code text(fmt::format(fmt::runtime(masks ? row.of_masks : row.emitted), a, b));
  text.using_names_of(a).using_names_of(b);
  return row.cost == ir::OperationCost::function ? text.using_names_of(kRuntime) : text;
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
  if (e->args[0]->type == DType::boolean) return binary_text(e->binary, true, a, b);
  if (e->binary == BinaryOp::min || e->binary == BinaryOp::max) return extremum_text(e, a, b);
  const auto quarters = e->binary == BinaryOp::pow ? kernel::exponent_in_quarters(e) : std::nullopt;
  if (quarters) return code("vec::power_of_quarters<{}>({})", *quarters, a);
  return binary_text(e->binary, false, a, b);
}

}  // namespace cppgen::codegen
