// INJECT_RELU_BUG and INJECT_LOG1P_BUG.
#include <cmath>

#include "cppgen/codegen/value_emitter.h"

namespace cppgen::codegen {
namespace {

bool is_zero(Expr e) {
  return e->kind == ir::ExprKind::constant && is_float(e->type) && e->float_value() == 0 &&
         !std::signbit(e->float_value());
}

bool is_relu(Expr e) {
  return e->kind == ir::ExprKind::binary && e->binary == ir::BinaryOp::max &&
         (is_zero(e->args[0]) || is_zero(e->args[1]));
}

bool is_log1p(Expr e) { return e->kind == ir::ExprKind::unary && e->unary == ir::UnaryOp::log1p; }

}  // namespace

Code ValueEmitter::with_bug(Expr e, Code text) {
  const bool relu = is_relu(e);
  if (!relu && !is_log1p(e)) return text;
  const std::string& bug = relu ? context_.options.inject_relu_bug : context_.options.inject_log1p_bug;
  if (bug.empty()) return text;
  if (bug == "compile_error") return code("cppgen_injected_bug({})", text);
  if (bug == "accuracy") return code("{} + vec::set1<{}>(1)", text, lane_type(e->type));
  const Code id = context_.new_check(fmt::format("the kernel {} fails because of INJECT_{}_BUG={}",
                                                 context_.view.kernel.name, relu ? "RELU" : "LOG1P", bug));
  return code("(vec::holds(false, args->error, {}), {})", id, text);
}

}  // namespace cppgen::codegen
