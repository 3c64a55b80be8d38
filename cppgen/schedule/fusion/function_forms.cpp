// Elementary functions that are computed in other ways: the results differ by rounding only.
#include <unordered_map>

#include "cppgen/schedule/passes.h"

namespace cppgen::schedule {
namespace {

using enum ir::BinaryOp;
using ir::Expr;
using ir::UnaryOp;

// Makes op(x) in the form that a pass gives it.
using FunctionForm = Expr (*)(ir::ExprArena&, UnaryOp op, Expr x);

class FunctionForms {
 public:
  FunctionForms(ir::Program& program, FunctionForm form) : program_(program), e_(*program.exprs), form_(form) {}

  void apply() {
    ir::each_nest(program_.statements,
                  [&](ir::LoopNest& nest) { each_value(nest, [&](Expr& value) { value = formed(value); }); });
  }

 private:
  ir::Program& program_;
  ir::ExprArena& e_;
  const FunctionForm form_;
  std::unordered_map<Expr, Expr> done_;

  // Operands first, without recursion: long chains are common.
  Expr formed(Expr root) {
    for (Expr x : ir::postorder({&root, 1}))
      if (!done_.contains(x)) done_[x] = rebuilt(x);
    return done_.at(root);
  }

  Expr rebuilt(Expr x) {
    std::vector<Expr> args;
    for (Expr a : x->args) args.push_back(done_.at(a));
    switch (x->kind) {
      case ir::ExprKind::unary:
        return form_(e_, x->unary, args[0]);
      case ir::ExprKind::binary:
        return e_.binary(x->binary, args[0], args[1]);
      case ir::ExprKind::select:
        return e_.select(args[0], args[1], args[2]);
      case ir::ExprKind::cast:
        return e_.cast(x->type, args[0]);
      case ir::ExprKind::load:
        if (args == x->args) return x;
        return e_.load(x->buffer, program_.buffer(x->buffer).type, x->indices, x->guards, args[0], x->indirects);
      default:
        return x;
    }
  }
};

Expr sigmoid_by_tanh(ir::ExprArena& e, UnaryOp op, Expr x) {
  if (op != UnaryOp::sigmoid) return e.unary(op, x);
  const Expr half = e.constant(x->type, 0.5);
  return e.binary(add, e.binary(mul, e.unary(UnaryOp::tanh, e.binary(mul, x, half)), half), half);
}

Expr tanh_by_exp(ir::ExprArena& e, UnaryOp op, Expr x) {
  if (op != UnaryOp::tanh) return e.unary(op, x);
  const Expr one = e.constant(x->type, 1), two = e.constant(x->type, 2);
  const Expr power = e.unary(UnaryOp::exp, e.binary(mul, two, e.unary(UnaryOp::abs, x)));
  const Expr size = e.binary(sub, one, e.binary(div, two, e.binary(add, one, power)));
  return e.binary(copysign, size, x);
}

}  // namespace

void compute_sigmoid_by_tanh(Draft& draft) { FunctionForms(draft.program(), sigmoid_by_tanh).apply(); }

void compute_tanh_by_exp(Draft& draft) { FunctionForms(draft.program(), tanh_by_exp).apply(); }

}  // namespace cppgen::schedule
