#include "cppgen/ir/index/index_expr.h"

#include <algorithm>
#include <unordered_set>

#include "cppgen/ir/index/simplify_index.h"
#include "runtime/base/checked.h"

namespace cppgen::ir {

int64_t IndexExpr::constant() const {
  if (!is_constant()) internal_error("{} is not a constant", to_string(*this));
  return constant_;
}

IndexRange IndexExpr::range() const { return node_ ? node_->range : IndexRange{constant_, constant_}; }

namespace {

IndexExpr linear(IndexExpr a, IndexExpr b, int64_t factor) {
  Polynomial sum(a);
  sum.add(Polynomial(b), factor);
  return simplify_sum(sum);
}

}  // namespace

IndexExpr operator+(IndexExpr a, IndexExpr b) { return linear(a, b, 1); }
IndexExpr operator-(IndexExpr a, IndexExpr b) { return linear(a, b, -1); }
IndexExpr operator*(IndexExpr a, IndexExpr b) { return simplify_sum(multiply(Polynomial(a), Polynomial(b))); }
IndexExpr floordiv(IndexExpr a, IndexExpr b) { return simplify_division(IndexOp::floordiv, a, b); }
IndexExpr mod(IndexExpr a, IndexExpr b) { return simplify_division(IndexOp::mod, a, b); }
IndexExpr ceildiv(IndexExpr a, IndexExpr b) { return floordiv(a + b - 1, b); }

IndexExpr min(IndexExpr a, IndexExpr b) {
  const IndexExpr operands[] = {a, b};
  return simplify_extremum(IndexOp::min, operands);
}

IndexExpr max(IndexExpr a, IndexExpr b) {
  const IndexExpr operands[] = {a, b};
  return simplify_extremum(IndexOp::max, operands);
}

IndexExpr product(std::span<const IndexExpr> factors) {
  IndexExpr result = 1;
  for (IndexExpr f : factors) result = result * f;
  return result;
}

namespace {

class Substitution {
 public:
  explicit Substitution(const IndexMap& map) : map_(map) {}

  IndexExpr of(IndexExpr e) {
    if (e.is_constant()) return e;
    const auto done = done_.find(e.node());
    if (done != done_.end()) return done->second;
    const IndexExpr result = rebuild(e);
    done_.emplace(e.node(), result);
    return result;
  }

 private:
  const IndexMap& map_;
  std::unordered_map<const IndexNode*, IndexExpr> done_;

  IndexExpr rebuild(IndexExpr e) {
    const IndexNode& node = *e.node();
    if (const auto found = map_.find(&node); found != map_.end()) return found->second;
    if (node.op == IndexOp::variable) return e;
    if (node.op == IndexOp::sum) return rebuild_sum(e);
    std::vector<IndexExpr> args;
    for (IndexExpr arg : node.args) args.push_back(of(arg));
    if (args == node.args) return e;
    switch (node.op) {
      case IndexOp::product:
        return product(args);
      case IndexOp::floordiv:
        return floordiv(args[0], args[1]);
      case IndexOp::mod:
        return mod(args[0], args[1]);
      default:
        return simplify_extremum(node.op, args);
    }
  }

  IndexExpr rebuild_sum(IndexExpr e) {
    Polynomial sum(IndexExpr(e.node()->constant));
    bool changed = false;
    for (const IndexTerm& t : e.node()->terms) {
      const IndexExpr term = of(IndexExpr(t.node));
      changed = changed || term.node() != t.node;
      sum.add(Polynomial(term), t.coefficient);
    }
    return changed ? simplify_sum(sum) : e;
  }
};

}  // namespace

IndexExpr substitute(IndexExpr e, const IndexMap& map) { return map.empty() ? e : Substitution(map).of(e); }

namespace {

int64_t evaluate_extremum(const IndexNode& node, const IndexEnv& env) {
  int64_t best = evaluate(node.args[0], env);
  for (size_t i = 1; i < node.args.size(); i++) {
    const int64_t v = evaluate(node.args[i], env);
    best = node.op == IndexOp::min ? std::min(best, v) : std::max(best, v);
  }
  return best;
}

int64_t evaluate_division(const IndexNode& node, const IndexEnv& env) {
  const int64_t a = evaluate(node.args[0], env), b = evaluate(node.args[1], env);
  if (b < 0) user_error("a dimension is {}, in {}", b, to_string(IndexExpr(&node)));
  if (b == 0) return 0;
  return node.op == IndexOp::mod ? floor_mod(a, b) : floor_div(a, b);
}

int64_t evaluate_node(const IndexNode& node, const IndexEnv& env) {
  constexpr const char* kWhat = "index expression";
  switch (node.op) {
    case IndexOp::variable:
      return env(node);
    case IndexOp::sum: {
      int64_t sum = node.constant;
      for (const IndexTerm& t : node.terms)
        sum = checked_add(sum, checked_mul(t.coefficient, evaluate_node(*t.node, env), kWhat), kWhat);
      return sum;
    }
    case IndexOp::product: {
      int64_t result = 1;
      for (IndexExpr f : node.args) result = checked_mul(result, evaluate(f, env), kWhat);
      return result;
    }
    case IndexOp::floordiv:
    case IndexOp::mod:
      return evaluate_division(node, env);
    default:
      return evaluate_extremum(node, env);
  }
}

}  // namespace

int64_t evaluate(IndexExpr e, const IndexEnv& env) {
  return e.is_constant() ? e.constant() : evaluate_node(*e.node(), env);
}

namespace {

// Calls visit on every node below e, each once; stops when visit returns false.
template <class F>
bool walk(IndexExpr e, std::unordered_set<const IndexNode*>& seen, const F& visit) {
  if (e.is_constant() || !seen.insert(e.node()).second) return true;
  if (!visit(e.node())) return false;
  for (const IndexTerm& t : e.node()->terms)
    if (!walk(IndexExpr(t.node), seen, visit)) return false;
  for (IndexExpr arg : e.node()->args)
    if (!walk(arg, seen, visit)) return false;
  return true;
}

}  // namespace

std::vector<const IndexNode*> variables_of(IndexExpr e) {
  std::vector<const IndexNode*> variables;
  std::unordered_set<const IndexNode*> seen;
  walk(e, seen, [&](const IndexNode* n) {
    if (n->op == IndexOp::variable) variables.push_back(n);
    return true;
  });
  return variables;
}

bool depends_on(IndexExpr e, const IndexNode* variable) {
  std::unordered_set<const IndexNode*> seen;
  return !walk(e, seen, [&](const IndexNode* n) { return n != variable; });
}

bool is_fresh_symbol(IndexExpr e) { return e.node() && e.node()->op == IndexOp::variable && e.node()->fresh; }

bool depends_on_fresh_symbols(IndexExpr e) {
  std::unordered_set<const IndexNode*> seen;
  return !walk(e, seen, [](const IndexNode* n) { return n->op != IndexOp::variable || !n->fresh; });
}

std::optional<IndexExpr> stride_of(IndexExpr e, const IndexNode* variable) {
  const AtomSplit split = split_by_atom(Polynomial(e), variable);
  const IndexExpr stride = split.coefficient.to_expr();
  if (depends_on(stride, variable) || depends_on(split.rest.to_expr(), variable)) return std::nullopt;
  return stride;
}

}  // namespace cppgen::ir
