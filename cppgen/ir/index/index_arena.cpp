#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/index/index_memo.h"
#include "cppgen/ir/index/index_range.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

namespace {

void mix(size_t& h, size_t v) { h ^= v + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2); }

struct IndexNodeHash {
  size_t operator()(const IndexNode* n) const {
    size_t h = static_cast<size_t>(n->op);
    mix(h, std::hash<int64_t>()(n->constant));
    for (const IndexTerm& t : n->terms) {
      mix(h, std::hash<int64_t>()(t.coefficient));
      mix(h, std::hash<const void*>()(t.node));
    }
    for (IndexExpr e : n->args) mix(h, std::hash<IndexExpr>()(e));
    return h;
  }
};

struct SameIndexNode {
  bool operator()(const IndexNode* a, const IndexNode* b) const {
    const auto same_term = [](const IndexTerm& t, const IndexTerm& u) {
      return t.coefficient == u.coefficient && t.node == u.node;
    };
    return a->op == b->op && a->constant == b->constant && a->args == b->args && a->terms.size() == b->terms.size() &&
           std::equal(a->terms.begin(), a->terms.end(), b->terms.begin(), same_term);
  }
};

}  // namespace

struct IndexArena::Impl {
  std::deque<IndexNode> nodes;  // never moved
  std::unordered_set<const IndexNode*, IndexNodeHash, SameIndexNode> unique;
  std::unordered_map<std::string, const IndexNode*> symbols;
  std::unordered_map<std::string, int> numbers;  // next loop variable of a prefix
  std::vector<IndexBound> assumptions;

  const IndexNode* add(IndexNode node, IndexArena* arena) {
    node.id = static_cast<uint32_t>(nodes.size());
    node.arena = arena;
    node.range = range_of(node);
    nodes.push_back(std::move(node));
    return &nodes.back();
  }

  const IndexNode* add_symbol(const std::string& name, IndexRange range, bool fresh, IndexArena* arena) {
    IndexNode node{};
    node.op = IndexOp::variable;
    node.kind = VarKind::symbol;
    node.range = range;
    node.fresh = fresh;
    node.name = name;
    return add(std::move(node), arena);
  }

  std::string numbered(const std::string& prefix) { return prefix + std::to_string(numbers[prefix]++); }

  // Numbers up to that of this name are not given again.
  void reserve(const std::string& name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == name.size() || name.size() - digits > 8) return;
    int& next = numbers[name.substr(0, digits)];
    next = std::max(next, std::stoi(name.substr(digits)) + 1);
  }
};

IndexArena::IndexArena() : impl_(std::make_unique<Impl>()) {}
IndexArena::~IndexArena() { forget_memo(*this); }

IndexExpr IndexArena::symbol(const std::string& name, int64_t lo, int64_t hi) {
  auto [at, added] = impl_->symbols.try_emplace(name, nullptr);
  if (added) {
    check(lo >= 0 && lo <= hi, "a dimension symbol's range is empty or negative");
    at->second = impl_->add_symbol(name, {lo, hi}, false, this);
  }
  return IndexExpr(at->second);
}

IndexExpr IndexArena::fresh_symbol(const std::string& hint) {
  std::string name;
  do {
    name = impl_->numbered(hint + "#");
  } while (impl_->symbols.count(name));
  return IndexExpr(impl_->symbols[name] = impl_->add_symbol(name, {0, kUnbounded}, true, this));
}

IndexExpr IndexArena::step_symbol(IndexExpr steps) {
  std::string name;
  do {
    name = impl_->numbered("step#");
  } while (impl_->symbols.count(name));
  const int64_t hi = steps.range().hi;
  const IndexRange range{0, hi == kUnbounded ? hi : std::max<int64_t>(hi - 1, 0)};
  return IndexExpr(impl_->symbols[name] = impl_->add_symbol(name, range, false, this));
}

IndexExpr IndexArena::loop(const std::string& prefix, IndexExpr extent) {
  IndexNode node{};
  node.op = IndexOp::variable;
  node.kind = VarKind::loop;
  node.name = impl_->numbered(prefix);
  node.extent = extent;
  return IndexExpr(impl_->add(std::move(node), this));
}

IndexExpr IndexArena::indirect(IndexExpr extent, std::string purpose) {
  IndexNode node{};
  node.op = IndexOp::variable;
  node.kind = VarKind::indirect;
  node.name = impl_->numbered("at");
  node.extent = extent;
  node.purpose = std::move(purpose);
  return IndexExpr(impl_->add(std::move(node), this));
}

IndexExpr IndexArena::add_variable(const IndexNode& like) {
  IndexNode node{};
  node.op = IndexOp::variable;
  node.kind = like.kind, node.name = like.name, node.range = like.range, node.fresh = like.fresh;
  node.extent = like.extent, node.purpose = like.purpose;
  impl_->reserve(node.name);
  if (node.kind != VarKind::symbol) return IndexExpr(impl_->add(std::move(node), this));
  check(!impl_->symbols.count(node.name), "add_variable: there is a symbol of this name");
  return IndexExpr(impl_->symbols[like.name] = impl_->add(std::move(node), this));
}

void IndexArena::assume(IndexBound bound) {
  impl_->assumptions.push_back(bound);
  memo_of(*this).clear();
}

const std::vector<IndexBound>& IndexArena::assumptions() const { return impl_->assumptions; }

void IndexArena::substitute_in_assumptions(const IndexMap& map) {
  // An expression that is being rewritten must not be used to simplify others.
  std::vector<IndexBound> rewritten;
  rewritten.swap(impl_->assumptions);
  memo_of(*this).clear();
  for (IndexBound& bound : rewritten) bound = {substitute(bound.least, map), substitute(bound.most, map)};
  impl_->assumptions = std::move(rewritten);
  memo_of(*this).clear();
}

const IndexNode* IndexArena::intern(IndexNode candidate) {
  const auto found = impl_->unique.find(&candidate);
  if (found != impl_->unique.end()) return *found;
  const IndexNode* node = impl_->add(std::move(candidate), this);
  impl_->unique.insert(node);
  return node;
}

}  // namespace cppgen::ir
