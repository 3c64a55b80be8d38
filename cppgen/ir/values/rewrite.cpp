#include <unordered_set>

#include "cppgen/ir/values/expr.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

std::vector<Expr> operands_in_order(Expr e) {
  std::vector<Expr> operands = e->args;
  for (const Indirect& i : e->indirects) operands.push_back(i.value);
  return operands;
}

}  // namespace

std::vector<Expr> postorder(std::span<const Expr> roots) {
  struct Visit {
    Expr node;
    std::vector<Expr> operands;
    size_t next;
  };
  std::vector<Expr> order;
  std::unordered_set<Expr> seen;
  std::vector<Visit> stack;
  for (Expr root : roots) {
    if (seen.insert(root).second) stack.push_back({root, operands_in_order(root), 0});
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next == top.operands.size()) {
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      const Expr operand = top.operands[top.next++];
      if (seen.insert(operand).second) stack.push_back({operand, operands_in_order(operand), 0});
    }
  }
  return order;
}

namespace {

class Rewriter {
 public:
  Rewriter(ExprArena& arena, const Rewrite& rules) : arena_(arena), rules_(rules) {}

  Expr run(Expr root) {
    for (Expr e : postorder({&root, 1})) done_.emplace(e, rebuild(e));
    return done_.at(root);
  }

 private:
  ExprArena& arena_;
  const Rewrite& rules_;
  std::unordered_map<Expr, Expr> done_;

  Expr operand(Expr e, size_t i) { return done_.at(e->args[i]); }

  Expr rebuild(Expr e) {
    switch (e->kind) {
      case ExprKind::constant:
        return e;
      case ExprKind::load:
        return rebuild_load(e);
      case ExprKind::index:
        return arena_.index(substitute(e->indices[0], rules_.indices));
      case ExprKind::unary:
        return arena_.unary(e->unary, operand(e, 0));
      case ExprKind::binary:
        return arena_.binary(e->binary, operand(e, 0), operand(e, 1));
      case ExprKind::select:
        return arena_.select(operand(e, 0), operand(e, 1), operand(e, 2));
      case ExprKind::cast:
        return arena_.cast(e->type, operand(e, 0));
      case ExprKind::accumulator:
        return rules_.replace_accumulator ? replaced(rules_.replace_accumulator(e), e) : e;
    }
    return e;
  }

  static Expr replaced(Expr by, Expr e) {
    if (!by) return e;
    if (by->type != e->type) internal_error("a rewrite replaces {} with {}", name_of(e->type), name_of(by->type));
    return by;
  }

  Expr rebuild_load(Expr e) {
    IndexMap map = rules_.indices;
    std::vector<Indirect> indirects;
    for (const Indirect& i : e->indirects) indirects.push_back(rebind(i, map));
    std::vector<IndexExpr> indices;
    for (IndexExpr i : e->indices) indices.push_back(substitute(i, map));
    std::vector<Guard> guards;
    for (const Guard& g : e->guards)
      guards.push_back({substitute(g.index, map), substitute(g.lo, map), substitute(g.hi, map)});
    const Expr fallback = e->args.empty() ? nullptr : operand(e, 0);
    const Expr load =
        arena_.load(e->buffer, e->type, std::move(indices), std::move(guards), fallback, std::move(indirects));
    return load->kind == ExprKind::load && rules_.replace_load ? replaced(rules_.replace_load(load), load) : load;
  }

  Indirect rebind(const Indirect& i, IndexMap& map) {
    const Expr value = done_.at(i.value);
    const IndexExpr extent = substitute(i.variable->extent, rules_.indices);
    if (value == i.value && extent == i.variable->extent) return i;
    const IndexExpr variable = arena_.rebind(i.variable, value, extent);
    map.insert_or_assign(i.variable, variable);
    return {variable.node(), value};
  }
};

}  // namespace

Expr rewrite(ExprArena& arena, Expr e, const Rewrite& rules) { return Rewriter(arena, rules).run(e); }

}  // namespace cppgen::ir
