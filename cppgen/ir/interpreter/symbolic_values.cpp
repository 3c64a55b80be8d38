#include "cppgen/ir/interpreter/symbolic_values.h"

#include "cppgen/ir/values/symbolic_ops.h"
#include "runtime/base/elements.h"

namespace cppgen::ir {

int64_t constant_element(const Buffer& b, int64_t at) {
  if (is_float(b.type)) throw NotExpressible();
  const int64_t value = integer_element(b.type, b.data.bytes, at);
  return b.type == DType::boolean ? value != 0 : value;
}

IndexExpr PointValues::value(Expr e) {
  const auto done = done_.find(e);
  if (done != done_.end()) return done->second;
  const IndexExpr result = compute(e);
  done_.emplace(e, result);
  return result;
}

int64_t PointValues::offset(const Buffer& b, const std::vector<IndexExpr>& indices,
                            const std::vector<Indirect>& indirects) {
  const IndexMap map = with_bindings(indirects);
  int64_t at = 0;
  for (size_t d = 0; d < indices.size(); d++) {
    const IndexExpr i = substitute(indices[d], map);
    if (!i.is_constant() || i.constant() < 0 || i.constant() >= b.shape[d].constant()) throw NotExpressible();
    at = at * b.shape[d].constant() + i.constant();
  }
  return at;
}

IndexExpr PointValues::compute(Expr e) {
  if (is_float(e->type)) throw NotExpressible();
  switch (e->kind) {
    case ExprKind::constant:
      return e->int_value();
    case ExprKind::load:
      return load(e);
    case ExprKind::index:
      return index(e->indices[0]);
    case ExprKind::unary:
      return need(symbolic_unary(e->unary, e->type, value(e->args[0])));
    case ExprKind::binary:
      return need(symbolic_binary(e->binary, e->args[0]->type, value(e->args[0]), value(e->args[1])));
    case ExprKind::select:
      return select(e);
    case ExprKind::cast:
      return need(symbolic_cast(e->type, e->args[0]->type, value(e->args[0])));
    case ExprKind::accumulator:
      return accumulators_[e->accumulator];
  }
  throw NotExpressible();
}

IndexExpr PointValues::select(Expr e) {
  const IndexExpr condition = value(e->args[0]);
  if (!condition.is_constant()) throw NotExpressible();
  return value(e->args[condition.constant() ? 1 : 2]);
}

IndexMap PointValues::with_bindings(const std::vector<Indirect>& indirects) {
  IndexMap map = point_;
  for (const Indirect& i : indirects) {
    const IndexExpr v = value(i.value), extent = index(i.variable->extent);
    const bool negative = need(decide(BinaryOp::lt, v, 0));
    map.insert_or_assign(i.variable, negative ? v + extent : v);
  }
  return map;
}

// Returns whether the index leaves some guard's range. Guards that depend on values need these to be decided.
bool PointValues::is_outside(Expr e) {
  const IndexMap map = with_bindings(e->indirects);
  for (const Guard& g : e->guards) {
    const IndexExpr i = substitute(g.index, map);
    if (need(decide(BinaryOp::lt, i, substitute(g.lo, map)))) return true;
    if (need(decide(BinaryOp::ge, i, substitute(g.hi, map)))) return true;
  }
  return false;
}

IndexExpr PointValues::load(Expr e) {
  if (!e->guards.empty() && is_outside(e)) return value(e->args[0]);
  const Buffer& b = program_.buffer(e->buffer);
  if (b.kind != BufferKind::constant && tensors_[b.id].empty()) throw NotExpressible();
  const int64_t at = offset(b, e->indices, e->indirects);
  return b.kind == BufferKind::constant ? IndexExpr(constant_element(b, at)) : need(tensors_[b.id][at]);
}

}  // namespace cppgen::ir
