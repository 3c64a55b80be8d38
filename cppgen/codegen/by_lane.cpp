// What kernels do lane by lane, for people who ask why something is slow. What is the same for all lanes does not
// count.
#include <fmt/format.h>

#include "cppgen/codegen/operation_text.h"
#include "cppgen/codegen/value_emitter.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::codegen {

using ir::BinaryOp;
using ir::UnaryOp;

static bool is_arithmetic(UnaryOp op) {
  switch (op) {
    case UnaryOp::neg:
    case UnaryOp::abs:
    case UnaryOp::sign:
    case UnaryOp::bit_not:
    case UnaryOp::floor:
    case UnaryOp::ceil:
    case UnaryOp::round:
    case UnaryOp::trunc:
    case UnaryOp::sqrt:
    case UnaryOp::is_nan:
    case UnaryOp::is_inf:
    case UnaryOp::round_f16:
    case UnaryOp::round_bf16:
    case UnaryOp::logical_not:
      return true;
    default:
      return false;
  }
}

std::string lane_operation(ir::Expr e) {
  const DType type = e->args.empty() ? e->type : e->args[0]->type;
  if (e->kind == ir::ExprKind::unary && type == DType::f64 && !is_arithmetic(e->unary))
    return fmt::format("{} of float64", ir::name_of(e->unary));
  if (e->kind != ir::ExprKind::binary) return "";
  if (e->binary == BinaryOp::pow && type != DType::f32) return fmt::format("powers of {}", name_of(type));
  const bool divides =
      e->binary == BinaryOp::div || e->binary == BinaryOp::mod_floor || e->binary == BinaryOp::mod_trunc;
  if (divides && !is_float(type) && size_of(type) == 8) return "division of 64-bit integers";
  return "";
}

void ValueEmitter::note_by_lane(int level, std::string what) {
  if (!vector_ || what.empty()) return;
  const auto it = level_of_variable_.find(vector_);
  if (it != level_of_variable_.end() && level >= it->second) context_.by_lane.insert(std::move(what));
}

// Elements of four bytes and more are gathered.
void ValueEmitter::note_strided(const Access& a, DType type) {
  if (!varies(a.offset) || !a.even || a.stride->is_constant(0) || schedule::moves_by_one_or_none(*a.stride)) return;
  const bool every_other = a.stride->is_constant(2) && type != DType::boolean;
  if (size_of(type) < 4 && !every_other) note_by_lane(innermost(), "strided loads of narrow elements");
}

std::string ValueEmitter::why_apart(const Access& a, const std::vector<ir::Indirect>& indirects) const {
  for (const auto& i : indirects)
    if (indirects_.at(i.variable).per_lane) return "elements at computed indices";
  return a.even ? "elements that exist under conditions" : "elements at uneven distances";
}

}  // namespace cppgen::codegen
