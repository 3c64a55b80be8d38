// The rounding of stored values to narrow float types, as a part of the values.
#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {
namespace {

// Returns whether the value already has the precision of the type, because it was rounded to it or loaded from such a
// buffer.
bool is_kept(const ir::Program& program, ir::Expr value, DType type) {
  if (value->kind == ir::ExprKind::load) return program.buffer(value->buffer).type == type && value->guards.empty();
  return value->kind == ir::ExprKind::unary && value->unary == ir::rounding_to(type);
}

void keep_cast(ir::Program& program, ir::Store& store) {
  const DType type = program.buffer(store.buffer).type;
  const auto rounding = ir::rounding_to(type);
  if (rounding && !is_kept(program, store.value, type)) store.value = program.exprs->unary(*rounding, store.value);
}

}  // namespace

void keep_precision_casts(Draft& draft) {
  ir::each_nest(draft.program().statements, [&](ir::LoopNest& nest) {
    for (ir::Store& store : nest.stores) keep_cast(draft.program(), store);
  });
}

}  // namespace cppgen::schedule
