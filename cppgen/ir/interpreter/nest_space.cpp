#include "cppgen/ir/interpreter/nest_space.h"

#include <algorithm>

#include "runtime/base/errors.h"

namespace cppgen::ir {

NestSpace::NestSpace(const LoopNest& nest, const std::vector<TensorView>& tensors, const IndexEnv& symbols)
    : tensors_(tensors), symbols_(symbols), first_reduced_(static_cast<int>(nest.loops.size())) {
  for (const Loop& l : nest.loops) add_loop(l);
  for (const Loop& l : nest.reduced) add_loop(l);
}

void NestSpace::add_loop(const Loop& loop) {
  const int64_t extent = std::max<int64_t>(evaluate(loop.extent, symbols_), 0);
  const IndexExpr variable = arena_.loop("v", extent);
  map_.emplace(loop.var.node(), extent == 1 ? IndexExpr(int64_t{0}) : variable);
  slots_.emplace(variable.node(), slots());
  variables_.push_back(variable.node());
  extents_.push_back(extent);
}

int NestSpace::slot_of(const IndexNode* variable) const {
  const auto found = slots_.find(variable);
  return found == slots_.end() ? -1 : found->second;
}

void NestSpace::add_symbols(IndexExpr e) {
  for (const IndexNode* v : variables_of(e))
    if (v->kind == VarKind::symbol) map_.try_emplace(v, symbols_(*v));
}

IndexExpr NestSpace::local(IndexExpr e) {
  add_symbols(e);
  return substitute(e, map_);
}

IndexExpr NestSpace::mapped(IndexExpr e, const IndexMap& bindings) {
  add_symbols(e);
  if (bindings.empty()) return substitute(e, map_);
  IndexMap all = map_;
  all.insert(bindings.begin(), bindings.end());
  return substitute(e, all);
}

void NestSpace::bind(const std::vector<Indirect>& indirects, LocalReference& r, IndexMap& bindings) {
  for (const Indirect& i : indirects) {
    const IndexExpr extent = local(i.variable->extent);
    const IndexExpr variable = arena_.indirect(extent, i.variable->purpose);
    r.bindings.push_back({variable.node(), i.value, extent.constant()});
    bindings.insert_or_assign(i.variable, variable);
  }
}

void NestSpace::address(const std::vector<IndexExpr>& indices, const TensorView& tensor,
                        const std::vector<LocalReference::Bound>& known, LocalReference& r) {
  check(indices.size() == tensor.dims.size(), "a tensor is indexed with a wrong number of indices");
  for (size_t d = 0; d < indices.size(); d++) {
    const int64_t extent = tensor.dims[d];
    r.offset = r.offset * extent + indices[d];
    const IndexRange range = indices[d].range();
    const bool inside = range.lo >= 0 && range.hi < extent;
    const bool guarded = std::any_of(known.begin(), known.end(), [&](const LocalReference::Bound& k) {
      return k.index == indices[d] && k.extent <= extent;
    });
    if (!inside && !guarded) r.unproved.push_back({indices[d], extent});
  }
}

const LocalReference& NestSpace::load(Expr e) {
  const auto found = loads_.find(e);
  if (found != loads_.end()) return found->second;
  LocalReference r;
  IndexMap bindings;
  bind(e->indirects, r, bindings);
  std::vector<LocalReference::Bound> known;
  for (const Guard& g : e->guards) {
    const IndexExpr index = mapped(g.index, bindings), lo = mapped(g.lo, bindings), hi = mapped(g.hi, bindings);
    for (IndexExpr condition : {index - lo, hi - 1 - index}) {
      if (condition.range().lo >= 0) continue;
      const bool bound = std::any_of(r.bindings.begin(), r.bindings.end(),
                                     [&](const auto& b) { return depends_on(condition, b.variable); });
      r.conditions.push_back({condition, bound});
    }
    if (hi.is_constant() && lo.range().lo >= 0) known.push_back({index, hi.constant()});
  }
  std::vector<IndexExpr> indices;
  for (IndexExpr i : e->indices) indices.push_back(mapped(i, bindings));
  address(indices, tensor(e->buffer), known, r);
  return loads_.emplace(e, std::move(r)).first->second;
}

LocalReference NestSpace::store(const Store& s) {
  LocalReference r;
  std::vector<IndexExpr> indices;
  for (IndexExpr i : s.indices) indices.push_back(local(i));
  address(indices, tensor(s.buffer), {}, r);
  return r;
}

}  // namespace cppgen::ir
