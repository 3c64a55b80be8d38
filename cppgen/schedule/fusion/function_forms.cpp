#include "cppgen/schedule/fusion/function_forms.h"

#include <algorithm>
#include <unordered_map>

namespace cppgen::schedule {
namespace {

using enum ir::BinaryOp;
using ir::Expr;
using ir::UnaryOp;

class Forms {
 public:
  Forms(ir::Program& program, FunctionForms forms) : program_(program), e_(*program.exprs), forms_(forms) {}

  void apply(std::vector<ir::Statement>& statements) {
    ir::each_nest(statements,
                  [&](ir::LoopNest& nest) { each_value(nest, [&](Expr& value) { value = formed(value); }); });
  }

 private:
  ir::Program& program_;
  ir::ExprArena& e_;
  const FunctionForms forms_;
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
        return function(x->unary, args[0]);
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

  Expr function(UnaryOp op, Expr x) {
    if (op == UnaryOp::sigmoid && forms_.tanh_for_sigmoid) {
      const Expr half = e_.constant(x->type, 0.5);
      return e_.binary(add, e_.binary(mul, function(UnaryOp::tanh, e_.binary(mul, x, half)), half), half);
    }
    if (op != UnaryOp::tanh || !forms_.decompose_tanh) return e_.unary(op, x);
    const Expr one = e_.constant(x->type, 1), two = e_.constant(x->type, 2);
    const Expr power = e_.unary(UnaryOp::exp, e_.binary(mul, two, e_.unary(UnaryOp::abs, x)));
    const Expr size = e_.binary(sub, one, e_.binary(div, two, e_.binary(add, one, power)));
    return e_.binary(copysign, size, x);
  }
};

}  // namespace

void apply_function_forms(ir::Program& program, FunctionForms forms) {
  if (forms.tanh_for_sigmoid || forms.decompose_tanh) Forms(program, forms).apply(program.statements);
}

}  // namespace cppgen::schedule
