#include "cppgen/package/dim_code.h"

#include "runtime/base/errors.h"

namespace cppgen::package {

using ir::IndexExpr;
using ir::IndexNode;
using ir::IndexOp;
using rt::DimExpr;
using rt::DimOp;

static void emit(DimExpr& out, DimOp op) { out.code.push_back(int64_t(op)); }

static void emit(DimExpr& out, DimOp op, int64_t operand) {
  emit(out, op);
  out.code.push_back(operand);
}

DimExpr DimCoder::code(IndexExpr e) const {
  DimExpr out;
  append(e, out);
  return out;
}

void DimCoder::append(IndexExpr e, DimExpr& out) const {
  if (e.is_constant())
    emit(out, DimOp::constant, e.constant());
  else
    append_node(e.node(), out);
}

static DimOp opcode(IndexOp op) {
  switch (op) {
    case IndexOp::product:
      return DimOp::mul;
    case IndexOp::floordiv:
      return DimOp::floordiv;
    case IndexOp::mod:
      return DimOp::mod;
    case IndexOp::min:
      return DimOp::min;
    case IndexOp::max:
      return DimOp::max;
    default:
      internal_error("plan: no opcode for this index operation");
  }
}

void DimCoder::append_node(const IndexNode* n, DimExpr& out) const {
  if (n->op == IndexOp::variable) {
    auto it = symbols_.find(n->name);
    if (n->kind != ir::VarKind::symbol || it == symbols_.end())
      user_error("dimension {} is known only at run time: data-dependent shapes are not supported", n->name);
    emit(out, DimOp::symbol, it->second);
    return;
  }
  if (n->op == IndexOp::sum) {
    emit(out, DimOp::constant, n->constant);
    for (const auto& t : n->terms) {
      append_node(t.node, out);
      if (t.coefficient != 1) {
        emit(out, DimOp::constant, t.coefficient);
        emit(out, DimOp::mul);
      }
      emit(out, DimOp::add);
    }
    return;
  }
  append(n->args[0], out);
  for (size_t i = 1; i < n->args.size(); i++) {
    append(n->args[i], out);
    emit(out, opcode(n->op));
  }
}

}  // namespace cppgen::package
