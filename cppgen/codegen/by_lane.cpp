// Operations that kernels execute lane by lane, for reports about slow kernels. Values that are the same for all lanes
// do not count.
#include <fmt/format.h>

#include "cppgen/codegen/operation_text.h"
#include "cppgen/codegen/value_emitter.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/schedule/kernels/loop_order.h"

namespace cppgen::codegen {

std::string lane_operation(ir::Expr e) {
  using enum ir::OperationCost;
  const DType type = e->args.empty() ? e->type : e->args[0]->type;
  if (e->kind == ir::ExprKind::unary && type == DType::f64 && ir::row_of(e->unary).cost == function)
    return fmt::format("{} of float64", ir::name_of(e->unary));
  if (e->kind != ir::ExprKind::binary) return "";
  const ir::OperationCost cost = ir::row_of(e->binary).cost;
  if (cost == function && type != DType::f32) return fmt::format("powers of {}", name_of(type));
  if (cost == division && !is_float(type) && size_of(type) == 8) return "division of 64-bit integers";
  return "";
}

void ValueEmitter::note_by_lane(int level, std::string what) {
  if (!vector_ || what.empty()) return;
  const auto it = level_of_variable_.find(vector_);
  if (it != level_of_variable_.end() && level >= it->second) context_.by_lane.insert(std::move(what));
}

// Elements of at least four bytes have gather instructions.
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
