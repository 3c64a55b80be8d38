#include "cppgen/ir/values/expr.h"

#include <bit>
#include <deque>
#include <unordered_set>

#include "cppgen/ir/values/fold.h"
#include "cppgen/ir/values/op_table.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

double ExprNode::float_value() const {
  check(kind == ExprKind::constant && is_float(type), "float_value of an expression that is not a float constant");
  return std::bit_cast<double>(bits);
}

int64_t ExprNode::int_value() const {
  check(kind == ExprKind::constant && !is_float(type), "int_value of an expression that is not an integer constant");
  return static_cast<int64_t>(bits);
}

namespace {

struct Hasher {
  size_t h = 0;
  template <class T>
  void add(const T& v) {
    h ^= std::hash<T>()(v) + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
  }
};

struct ExprNodeHash {
  size_t operator()(const ExprNode* n) const {
    Hasher h;
    h.add(static_cast<int>(n->kind) << 24 | static_cast<int>(n->type) << 16 | static_cast<int>(n->unary) << 8 |
          static_cast<int>(n->binary));
    h.add(n->bits);
    h.add(n->buffer);
    h.add(n->accumulator);
    for (Expr a : n->args) h.add(a);
    for (IndexExpr i : n->indices) h.add(i);
    for (const Guard& g : n->guards) {
      h.add(g.index);
      h.add(g.lo);
      h.add(g.hi);
    }
    for (const Indirect& i : n->indirects) {
      h.add(i.variable);
      h.add(i.value);
    }
    return h.h;
  }
};

struct SameExprNode {
  bool operator()(const ExprNode* a, const ExprNode* b) const {
    return a->kind == b->kind && a->type == b->type && a->bits == b->bits && a->unary == b->unary &&
           a->binary == b->binary && a->args == b->args && a->buffer == b->buffer && a->indices == b->indices &&
           a->guards == b->guards && a->indirects == b->indirects && a->accumulator == b->accumulator;
  }
};

struct Rebinding {
  const IndexNode* variable;
  Expr value;
  IndexExpr extent;
  bool operator==(const Rebinding&) const = default;
};

struct RebindingHash {
  size_t operator()(const Rebinding& r) const {
    Hasher h;
    h.add(r.variable);
    h.add(r.value);
    h.add(r.extent);
    return h.h;
  }
};

ExprNode make(ExprKind kind, DType type, std::vector<Expr> args = {}) {
  ExprNode node{};
  node.kind = kind;
  node.type = type;
  node.args = std::move(args);
  return node;
}

bool is_int_constant(Expr e, int64_t value) {
  return e->kind == ExprKind::constant && !is_float(e->type) && e->int_value() == value;
}

void check_value_type(DType type) {
  if (type != value_type(type)) internal_error("{} is a storage type, which no value can have", name_of(type));
}

}  // namespace

struct ExprArena::Impl {
  std::deque<ExprNode> nodes;  // never moved
  std::unordered_set<Expr, ExprNodeHash, SameExprNode> unique;
  std::unordered_map<Rebinding, IndexExpr, RebindingHash> rebindings;
};

ExprArena::ExprArena() : impl_(std::make_unique<Impl>()) {}
ExprArena::~ExprArena() = default;

Expr ExprArena::intern(ExprNode candidate) {
  const auto found = impl_->unique.find(&candidate);
  if (found != impl_->unique.end()) return *found;
  candidate.id = static_cast<uint32_t>(impl_->nodes.size());
  impl_->nodes.push_back(std::move(candidate));
  impl_->unique.insert(&impl_->nodes.back());
  return &impl_->nodes.back();
}

Expr ExprArena::constant(DType type, double value) {
  check_value_type(type);
  ExprNode node = make(ExprKind::constant, type);
  node.bits = constant_bits(type, value);
  return intern(std::move(node));
}

Expr ExprArena::constant_int(DType type, int64_t value) {
  check_value_type(type);
  ExprNode node = make(ExprKind::constant, type);
  node.bits = constant_bits(type, value);
  return intern(std::move(node));
}

Expr ExprArena::zero(DType type) { return is_float(type) ? constant(type, 0) : constant_int(type, 0); }

namespace {

// Drops guards that always hold; false if one never does.
bool settle_guards(std::vector<Guard>& guards) {
  std::vector<Guard> open;
  for (const Guard& g : guards) {
    const IndexRange above = (g.index - g.lo).range(), below = (g.hi - g.index).range();
    if (above.hi < 0 || below.hi <= 0) return false;
    if (!prove_less_equal(g.lo, g.index) || !prove_less(g.index, g.hi)) open.push_back(g);
  }
  guards = std::move(open);
  return true;
}

void check_indirects(const std::vector<Indirect>& indirects) {
  for (const Indirect& i : indirects) {
    check(i.variable && i.variable->op == IndexOp::variable && i.variable->kind == VarKind::indirect,
          "an indirect binding binds something that is not an indirect variable");
    check(i.value && i.value->type == DType::i64, "an indirect binding's value is not an int64");
  }
}

}  // namespace

Expr ExprArena::load(BufferId buffer, DType storage, std::vector<IndexExpr> indices, std::vector<Guard> guards,
                     Expr fallback, std::vector<Indirect> indirects) {
  check_indirects(indirects);
  ExprNode node = make(ExprKind::load, value_type(storage));
  if (!guards.empty()) {
    check(fallback && fallback->type == node.type, "a guarded load's fallback has a different type");
    if (!settle_guards(guards)) return fallback;
    if (!guards.empty()) node.args = {fallback};
  }
  node.buffer = buffer;
  node.indices = std::move(indices);
  node.guards = std::move(guards);
  node.indirects = std::move(indirects);
  return intern(std::move(node));
}

Expr ExprArena::index(IndexExpr e) {
  if (e.is_constant()) return constant_int(DType::i64, e.constant());
  ExprNode node = make(ExprKind::index, DType::i64);
  node.indices = {e};
  return intern(std::move(node));
}

Expr ExprArena::unary(UnaryOp op, Expr a) {
  const UnaryRow& row = row_of(op);
  if (!allows(row.operand, a->type)) internal_error("{} of a {}", row.name, name_of(a->type));
  ExprNode node = make(ExprKind::unary, row.gives_bool ? DType::boolean : a->type, {a});
  node.unary = op;
  if (auto folded = fold_unary(op, a)) return constant_int(a->type, *folded);
  return intern(std::move(node));
}

// Returns whether a value that was combined already changes nothing. Of floats, too: NaN and signed zeros are ordered.
static bool is_idempotent(BinaryOp op) {
  using enum BinaryOp;
  return op == min || op == max || op == bit_and || op == bit_or;
}

// Returns whether the value is one of those that a chain of the operation combines.
static bool combines(BinaryOp op, Expr chain, Expr value) {
  for (; chain->kind == ExprKind::binary && chain->binary == op; chain = chain->args[0])
    if (chain->args[1] == value) return true;
  return chain == value;
}

Expr ExprArena::binary(BinaryOp op, Expr a, Expr b) {
  const BinaryRow& row = row_of(op);
  if (a->type != b->type || !allows(row.operands, a->type))
    internal_error("{} of {} and {}", row.name, name_of(a->type), name_of(b->type));
  const DType type = is_comparison(op) ? DType::boolean : a->type;
  if (auto folded = fold_binary(op, a, b)) return constant_int(type, *folded);
  if (row.side != NeutralSide::none && is_int_constant(b, row.neutral)) return a;
  if (row.side == NeutralSide::either && is_int_constant(a, row.neutral)) return b;
  if (is_idempotent(op) && combines(op, a, b)) return a;
  ExprNode node = make(ExprKind::binary, type, {a, b});
  node.binary = op;
  return intern(std::move(node));
}

Expr ExprArena::select(Expr condition, Expr then, Expr otherwise) {
  check(condition->type == DType::boolean, "the condition of a select is not a bool");
  if (then->type != otherwise->type)
    internal_error("select of {} and {}", name_of(then->type), name_of(otherwise->type));
  if (then == otherwise) return then;
  if (condition->kind == ExprKind::constant) return condition->int_value() ? then : otherwise;
  return intern(make(ExprKind::select, then->type, {condition, then, otherwise}));
}

Expr ExprArena::cast(DType type, Expr a) {
  check_value_type(type);
  if (a->type == type) return a;
  if (a->kind == ExprKind::constant) {
    ExprNode node = make(ExprKind::constant, type);
    node.bits = cast_bits(type, a->type, a->bits);
    return intern(std::move(node));
  }
  return intern(make(ExprKind::cast, type, {a}));
}

Expr ExprArena::accumulator(int number, DType type) {
  check_value_type(type);
  ExprNode node = make(ExprKind::accumulator, type);
  node.accumulator = number;
  return intern(std::move(node));
}

IndexExpr ExprArena::rebind(const IndexNode* variable, Expr value, IndexExpr extent) {
  const auto [at, added] = impl_->rebindings.try_emplace({variable, value, extent}, 0);
  if (added) at->second = variable->arena->indirect(extent, variable->purpose);
  return at->second;
}

}  // namespace cppgen::ir
