#include "cppgen/ir/interpreter/compile_strip.h"

#include <algorithm>

#include "cppgen/ir/index/polynomial.h"
#include "cppgen/ir/program/check_message.h"
#include "runtime/base/errors.h"

namespace cppgen::ir {

int StripCompiler::new_register(Varies varies) {
  varies_.push_back(varies);
  return registers() - 1;
}

void StripCompiler::emit(std::unique_ptr<StripStep> step, Varies varies) {
  (varies.reduced || !reducing_ ? body : hoisted).push_back(std::move(step));
}

StripCompiler::Varies StripCompiler::varies_of(const Affine& a) const {
  Varies v{a.stride != 0, false};
  for (const auto& [slot, coefficient] : a.terms) {
    const auto uniform = slot_varies_.find(slot);
    v.reduced |= uniform != slot_varies_.end() ? uniform->second.reduced : slot >= space_.first_reduced();
  }
  return v;
}

StripCompiler::Varies StripCompiler::varies_of(const StripIndex& i) const {
  return i.reg >= 0 ? varies_[i.reg] : varies_of(i.affine);
}

int StripCompiler::add_input(int accumulator, DType) {
  return accumulators_[accumulator] = new_register({true, false});
}

int StripCompiler::value(Expr root) {
  for (Expr e : postorder({&root, 1}))
    if (!values_.count(e)) values_.emplace(e, compile(e));
  return values_.at(root);
}

int StripCompiler::compile(Expr e) {
  switch (e->kind) {
    case ExprKind::constant: {
      const int dst = new_register({});
      emit(make_constant(dst, e->type, e->bits), {});
      return dst;
    }
    case ExprKind::load:
      return load(e);
    case ExprKind::index:
      return index_value(e->indices[0]);
    case ExprKind::unary:
      return elementwise(unary_kernel(e->unary, e->args[0]->type), e);
    case ExprKind::binary:
      return elementwise(binary_kernel(e->binary, e->args[0]->type), e);
    case ExprKind::select:
      return elementwise(select_kernel(e->type), e);
    case ExprKind::cast:
      return elementwise(cast_kernel(e->type, e->args[0]->type), e);
    case ExprKind::accumulator:
      return accumulators_.at(e->accumulator);
  }
  internal_error("unknown kind of expression");
}

int StripCompiler::elementwise(Elementwise kernel, Expr e) {
  std::vector<int> args;
  Varies varies;
  for (Expr a : e->args) {
    args.push_back(values_.at(a));
    varies.merge(varies_[args.back()]);
  }
  const int dst = new_register(varies);
  emit(make_elementwise(kernel, dst, std::move(args), e->type, !varies.lane), varies);
  return dst;
}

// --- references ---

void StripCompiler::add_condition(IndexExpr condition, StripMask& mask, Varies& varies) {
  const StripIndex i = strip_index(condition);
  varies.merge(varies_of(i));
  if (i.reg >= 0)
    mask.registers.push_back(i.reg);
  else
    mask.affine.push_back(i.affine);
}

int StripCompiler::mask_register(const StripMask& mask, Varies varies) {
  if (mask.empty()) return -1;
  const int dst = new_register(varies);
  emit(make_mask(dst, mask), varies);
  return dst;
}

// Conditions first, then bindings (checked where the conditions hold), then conditions on bound variables.
void StripCompiler::bind(const LocalReference& r, StripMask& mask, Varies& varies) {
  for (const auto& c : r.conditions)
    if (!c.uses_binding) add_condition(c.value, mask, varies);
  if (r.bindings.empty()) return;
  const int where = mask_register(mask, varies);
  for (const auto& b : r.bindings) {
    const int value = values_.at(b.value);
    Varies bound = varies;
    bound.merge(varies_[value]);
    const int dst = new_register(bound);
    emit(make_bind(dst, value, b.extent, where, !bound.lane, sentence_of(*b.variable)), bound);
    indices_.emplace(IndexExpr(b.variable), dst);
  }
  for (const auto& c : r.conditions)
    if (c.uses_binding) add_condition(c.value, mask, varies);
}

ElementAddress StripCompiler::address(const LocalReference& r, const TensorView& tensor, Varies& varies) {
  ElementAddress a{&tensor, strip_index(r.offset), {}};
  varies.merge(varies_of(a.offset));
  for (const auto& b : r.unproved) {
    a.checks.push_back({strip_index(b.index), b.extent});
    varies.merge(varies_of(a.checks.back().index));
  }
  return a;
}

int StripCompiler::load(Expr e) {
  const LocalReference& r = space_.load(e);
  StripMask mask;
  Varies varies;
  bind(r, mask, varies);
  ElementAddress where = address(r, space_.tensor(e->buffer), varies);
  const int fallback = mask.empty() ? -1 : values_.at(e->args[0]);
  Varies loaded = varies;
  if (fallback >= 0) loaded.merge(varies_[fallback]);
  const bool affine = where.offset.reg < 0 && mask.registers.empty() &&
                      std::all_of(where.checks.begin(), where.checks.end(), [](auto& c) { return c.index.reg < 0; });
  if (affine) {
    const int dst = new_register(loaded);
    emit(make_affine_load(dst, std::move(where), std::move(mask.affine), fallback), loaded);
    return dst;
  }
  const int lanes = mask_register(mask, varies);
  const int dst = new_register(loaded);
  emit(make_gather(dst, std::move(where), lanes, fallback), loaded);
  return dst;
}

void StripCompiler::store(const Store& s) {
  const int stored = value(s.value);
  const LocalReference r = space_.store(s);
  Varies varies;
  emit(make_store(address(r, space_.tensor(s.buffer), varies), stored), {true, true});
}

// --- indices ---

int StripCompiler::slot_of(const IndexNode* atom) {
  if (const int slot = space_.slot_of(atom); slot >= 0) return slot;
  const auto known = uniform_slots_.find(atom);
  if (known != uniform_slots_.end()) return known->second;
  const bool by_lane = lane_ >= 0 && depends_on(IndexExpr(atom), space_.variable(lane_));
  const int reg = by_lane ? -1 : index_register(IndexExpr(atom));
  int slot = -1;
  if (reg >= 0 && !varies_[reg].lane) {
    slot = space_.add_slot();
    slot_varies_.emplace(slot, varies_[reg]);
    emit(make_slot(slot, reg), varies_[reg]);
  }
  uniform_slots_.emplace(atom, slot);
  return slot;
}

std::optional<Affine> StripCompiler::affine(IndexExpr e) {
  Affine a;
  const Polynomial p(e);
  for (const IndexTerm& t : p.terms()) {
    if (!t.node) {
      a.constant = t.coefficient;
      continue;
    }
    const int slot = slot_of(t.node);
    if (slot < 0) return std::nullopt;
    a.terms.emplace_back(slot, t.coefficient);
    if (slot == lane_) a.stride = t.coefficient;
  }
  return a;
}

StripIndex StripCompiler::strip_index(IndexExpr e) {
  if (auto a = affine(e)) return {std::move(*a), -1};
  return {{}, index_register(e)};
}

int StripCompiler::index_value(IndexExpr e) { return index_register(space_.local(e)); }

int StripCompiler::index_register(IndexExpr e) {
  const auto found = indices_.find(e);
  if (found != indices_.end()) return found->second;
  const int reg = compile_index(e);
  indices_.emplace(e, reg);
  return reg;
}

int StripCompiler::combine(IndexStepOp op, int a, int b, int64_t scale) {
  Varies varies = varies_[a];
  varies.merge(varies_[b]);
  const int dst = new_register(varies);
  emit(make_index_step(op, dst, a, b, scale, !varies.lane), varies);
  return dst;
}

// Computes the affine part (constants, loop variables and their sums) in one step, then the other terms.
int StripCompiler::compile_sum(IndexExpr e) {
  if (auto a = affine(e)) {
    const Varies varies = varies_of(*a);
    const int dst = new_register(varies);
    emit(make_iota(dst, std::move(*a)), varies);
    return dst;
  }
  check(e.node()->op == IndexOp::sum, "an index uses a variable that is not in scope");
  Polynomial simple, rest;
  const Polynomial all(e);
  for (const IndexTerm& t : all.terms()) (!t.node || slot_of(t.node) >= 0 ? simple : rest).add(t.coefficient, t.node);
  int reg = compile_sum(simple.to_expr());
  for (const IndexTerm& t : rest.terms())
    reg = combine(IndexStepOp::add_scaled, reg, index_register(IndexExpr(t.node)), t.coefficient);
  return reg;
}

int StripCompiler::compile_index(IndexExpr e) {
  if (e.is_constant() || e.node()->op == IndexOp::sum || e.node()->op == IndexOp::variable) return compile_sum(e);
  const IndexNode& node = *e.node();
  const IndexStepOp op = node.op == IndexOp::product    ? IndexStepOp::multiply
                         : node.op == IndexOp::floordiv ? IndexStepOp::floordiv
                         : node.op == IndexOp::mod      ? IndexStepOp::mod
                         : node.op == IndexOp::min      ? IndexStepOp::min
                                                        : IndexStepOp::max;
  int reg = index_register(node.args[0]);
  for (size_t i = 1; i < node.args.size(); i++) reg = combine(op, reg, index_register(node.args[i]));
  return reg;
}

}  // namespace cppgen::ir
