#include "cppgen/schedule/fusion/precision_casts.h"

#include <algorithm>

namespace cppgen::schedule {
namespace {

// Whether the value already has the precision of the type, because it was rounded to it or loaded from such a buffer.
bool is_kept(const ir::Program& program, ir::Expr value, DType type) {
  if (value->kind == ir::ExprKind::load) return program.buffer(value->buffer).type == type && value->guards.empty();
  return value->kind == ir::ExprKind::unary && value->unary == ir::rounding_to(type);
}

void keep_casts(ir::Program& program, std::vector<ir::Statement>& statements) {
  for (ir::Statement& statement : statements) {
    if (auto* repetition = std::get_if<ir::Repetition>(&statement)) keep_casts(program, repetition->body);
    auto* nest = std::get_if<ir::LoopNest>(&statement);
    if (!nest) continue;
    for (ir::Store& store : nest->stores) {
      const DType type = program.buffer(store.buffer).type;
      const auto rounding = ir::rounding_to(type);
      if (rounding && !is_kept(program, store.value, type)) store.value = program.exprs->unary(*rounding, store.value);
    }
  }
}

}  // namespace

void keep_precision_casts(ir::Program& program, Options& options) {
  keep_casts(program, program.statements);
  const bool narrow = std::any_of(program.buffers.begin(), program.buffers.end(),
                                  [](const ir::Buffer& b) { return ir::rounding_to(b.type).has_value(); });
  if (narrow) options.attention_fusion = false;
}

}  // namespace cppgen::schedule
