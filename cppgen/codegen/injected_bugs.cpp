// INJECT_RELU_BUG and INJECT_LOG1P_BUG.
#include <cmath>
#include <utility>

#include "cppgen/codegen/value_emitter.h"
#include "runtime/base/errors.h"

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

InjectedBug injected_bug_from_name(std::string_view name) {
  using enum InjectedBug;
  constexpr std::pair<std::string_view, InjectedBug> kNames[] = {
      {"none", none}, {"compile_error", compile_error}, {"runtime_error", runtime_error}, {"accuracy", accuracy}};
  for (const auto& [known, bug] : kNames)
    if (known == name) return bug;
  internal_error("'{}' is not a bug that can be injected", name);
}

Code ValueEmitter::with_bug(Expr e, Code text) {
  const bool relu = is_relu(e);
  if (!relu && !is_log1p(e)) return text;
  const InjectedBug bug = relu ? context_.options.relu_bug : context_.options.log1p_bug;
  if (bug == InjectedBug::none) return text;
  if (bug == InjectedBug::compile_error) return code("cppgen_injected_bug({})", text);
  if (bug == InjectedBug::accuracy) return code("{} + vec::set1<{}>(1)", text, lane_type(e->type));
  const Code id =
      context_.new_assertion(fmt::format("fails because of INJECT_{}_BUG=runtime_error", relu ? "RELU" : "LOG1P"));
  return code("(vec::holds(false, args->error, {}), {})", id, text);
}

}  // namespace cppgen::codegen
