#include "cppgen/schedule/kernels/loop_order.h"

#include <algorithm>
#include <functional>

#include "cppgen/schedule/kernels/vector_loop.h"
#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

// Position of the loop in the memory order of a store, before others of the same dimension if its step there is
// greater.
std::optional<int64_t> memory_rank(const ir::Store& store, const Layout& layout, const Loop& loop) {
  constexpr int64_t kMostSteps = 1 << 20;
  for (size_t i = 0; i < layout.order.size(); i++) {
    IndexExpr index = store.indices[size_t(layout.order[i])];
    if (!ir::depends_on(index, loop.var.node())) continue;
    auto stride = ir::stride_of(index, loop.var.node());
    int64_t within = stride && stride->is_constant() ? std::min(stride->constant(), kMostSteps) : 1;
    return int64_t(i) * 2 * kMostSteps - within;
  }
  return std::nullopt;
}

// The rank in the first store that depends on the loop; loops that no store depends on come first.
int64_t memory_rank(const Layouts& layouts, const FusedKernel& kernel, const Loop& loop) {
  for (const Segment& s : kernel.segments)
    for (const auto* stores : {&s.stores, &s.body})
      for (const auto& store : *stores) {
        if (is_value_local(kernel, store.buffer)) continue;
        if (auto rank = memory_rank(store, layouts[size_t(store.buffer)], loop)) return *rank;
      }
  return -1;
}

void sort_outer(const Layouts& layouts, FusedKernel& kernel) {
  std::vector<std::pair<int64_t, Loop>> ranked;
  for (const Loop& l : kernel.outer) ranked.push_back({memory_rank(layouts, kernel, l), l});
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < ranked.size(); i++) kernel.outer[i] = ranked[i].second;
}

// Moves the loop along which most accesses are contiguous to the end.
void sort_inner(const std::vector<Access>& accesses, const FusedKernel& kernel, std::vector<Loop>& loops) {
  if (loops.size() < 2) return;
  auto score = [&](const Loop& l) {
    auto c = contiguity(kernel, accesses, l);
    return c.unit - c.every_other - c.other;
  };
  std::stable_sort(loops.begin(), loops.end(), [&](const Loop& a, const Loop& b) { return score(a) < score(b); });
}

// Returns whether the loops a (outer) and b (inner) can run as one loop k = a * extent(b) + b: every access has a
// constant stride in k.
bool can_join(const Program& program, const Layouts& layouts, const FusedKernel& kernel, const Loop& a, const Loop& b,
              const ir::IndexMap& map, const ir::IndexNode* joined) {
  auto even = [&](IndexExpr e) { return ir::stride_of(ir::substitute(e, map), joined).has_value(); };
  auto touches = [&](IndexExpr e) { return ir::depends_on(e, a.var.node()) || ir::depends_on(e, b.var.node()); };
  for (const Access& access : accesses_of(program, layouts, kernel))
    if (touches(access.offset) && !even(access.offset)) return false;
  for (Expr e : values_of(kernel)) {
    if (e->kind == ir::ExprKind::index && touches(e->indices[0])) return false;
    for (const auto& g : e->guards)
      if (touches(g.index) || touches(g.lo) || touches(g.hi)) return false;
  }
  for (const Segment& s : kernel.segments)
    for (const auto& r : s.reductions)
      if (touches(r.position)) return false;
  return true;
}

// Joins neighbours in `loops` while possible.
void join_loops(Program& program, const Layouts& layouts, FusedKernel& kernel, std::vector<Loop>& loops) {
  for (size_t i = loops.size(); i-- > 1;) {
    const Loop a = loops[i - 1], b = loops[i];
    if (b.extent.range().lo < 1) continue;
    IndexExpr extent = a.extent * b.extent;
    IndexExpr k = program.index->loop("i", extent);
    ir::Rewrite rewrite;
    rewrite.indices[a.var.node()] = ir::floordiv(k, b.extent);
    rewrite.indices[b.var.node()] = ir::mod(k, b.extent);
    if (!can_join(program, layouts, kernel, a, b, rewrite.indices, k.node())) continue;
    ir::rewrite(*program.exprs, kernel, rewrite);
    loops[i - 1] = {k, extent};
    loops.erase(loops.begin() + long(i));
  }
}

// An innermost loop of a few points would leave most lanes idle: the loop around it replaces it if it has enough
// points.
void lengthen_last(const Tuning& tuning, FusedKernel& kernel) {
  if (has_inner_loops(kernel) || kernel.outer.size() < 2) return;
  Loop &around = kernel.outer[kernel.outer.size() - 2], &last = kernel.outer.back();
  if (last.extent.range().hi <= tuning.few_lanes && around.extent.range().lo >= tuning.many_lanes)
    std::swap(around, last);
}

// Finds out whether this is a pointwise kernel in which some loads are contiguous along a different outer loop than the
// stores.
void find_transposed(const std::vector<Access>& accesses, FusedKernel& kernel) {
  if (has_inner_loops(kernel) || kernel.outer.size() < 2) return;
  const auto* vector = kernel.outer.back().var.node();
  for (const Access& a : accesses) {
    auto along = ir::stride_of(a.offset, vector);
    if (!a.load || !along || along->is_constant(0) || along->is_constant(1)) continue;
    const auto end = end_of_load(a.load, kernel.outer.back());
    if ((!a.load->guards.empty() && !end) || !a.load->indirects.empty()) continue;
    for (size_t i = 0; i + 1 < kernel.outer.size(); i++) {
      const auto* loop = kernel.outer[i].var.node();
      auto s = ir::stride_of(a.offset, loop);
      if (s && s->is_constant(1) && !(end && ir::depends_on(*end, loop))) kernel.transpose_loop = int(i);
    }
  }
  if (kernel.transpose_loop < 0) return;
  // The two loops of a block are the last ones.
  size_t t = size_t(kernel.transpose_loop), last = kernel.outer.size() - 2;
  std::rotate(kernel.outer.begin() + long(t), kernel.outer.begin() + long(t) + 1,
              kernel.outer.begin() + long(last) + 1);
  kernel.transpose_loop = int(last);
}

}  // namespace

std::vector<Access> accesses_of(const Program& program, const Layouts& layouts, const FusedKernel& kernel) {
  std::vector<Access> all;
  auto offset = [&](BufferId b, const std::vector<IndexExpr>& indices) {
    return offset_of(program.buffer(b), layouts[size_t(b)], indices);
  };
  for (Expr load : loads_of(kernel)) all.push_back({load, load->buffer, offset(load->buffer, load->indices)});
  each_store(kernel, [&](const ir::Store& s) { all.push_back({nullptr, s.buffer, offset(s.buffer, s.indices)}); });
  return all;
}

bool moves_by_one_or_none(IndexExpr stride) {
  if (stride.is_constant()) return stride.is_constant(1);
  const ir::IndexRange range = stride.range();
  return range.lo >= -1 && range.hi <= 1;
}

// The index expressions whose sum an offset is.
static std::vector<ir::IndexTerm> terms_of(IndexExpr offset) {
  if (offset.is_constant()) return {};
  if (offset.node()->op == ir::IndexOp::sum) return offset.node()->terms;
  return {{1, offset.node()}};
}

std::optional<RepeatedElements> repeated_elements(IndexExpr offset, const ir::IndexNode* loop) {
  std::optional<ir::IndexTerm> moves;
  for (const ir::IndexTerm& t : terms_of(offset)) {
    if (!ir::depends_on(IndexExpr(t.node), loop)) continue;
    if (moves || t.node->op != ir::IndexOp::floordiv) return std::nullopt;
    moves = t;
  }
  if (!moves || moves->coefficient < 1) return std::nullopt;
  const IndexExpr lane = moves->node->args[0], lanes = moves->node->args[1];
  const auto step = ir::stride_of(lane, loop);
  if (!lanes.is_constant() || !step || !step->is_constant(1)) return std::nullopt;
  return RepeatedElements{lane, lanes.constant(), moves->coefficient};
}

std::optional<IndexExpr> end_of_load(Expr load, const Loop& loop) {
  if (load->guards.size() != 1 || load->args[0]->kind != ir::ExprKind::constant) return std::nullopt;
  const ir::Guard& g = load->guards[0];
  const auto stride = ir::stride_of(g.index, loop.var.node());
  const bool moves_limits = ir::depends_on(g.lo, loop.var.node()) || ir::depends_on(g.hi, loop.var.node());
  if (!stride || !stride->is_constant(1) || moves_limits || !ir::prove_less_equal(g.lo, g.index)) return std::nullopt;
  return g.hi - ir::substitute(g.index, {{loop.var.node(), 0}});
}

static void sort_kernel_loops(const Program& program, const Layouts& layouts, const Tuning& tuning,
                              FusedKernel& kernel) {
  sort_outer(layouts, kernel);
  const auto accesses = accesses_of(program, layouts, kernel);
  for (Segment& s : kernel.segments) {
    sort_inner(accesses, kernel, s.loops);
    if (!has_arg_reduction(s)) sort_inner(accesses, kernel, s.reduced);
  }
  choose_last_loop(accesses, tuning, kernel);
}

void order_loops(Program& program, const Layouts& layouts, const Options& options, const Tuning& tuning,
                 FusedKernel& kernel) {
  if (options.pick_loop_orders) sort_kernel_loops(program, layouts, tuning, kernel);
  join_loops(program, layouts, kernel, kernel.outer);
  if (options.pick_loop_orders) lengthen_last(tuning, kernel);
  for (Segment& s : kernel.segments) {
    join_loops(program, layouts, kernel, s.loops);
    if (!has_arg_reduction(s)) join_loops(program, layouts, kernel, s.reduced);
  }
  const auto accesses = accesses_of(program, layouts, kernel);
  choose_vector_loop(accesses, tuning, kernel);
  if (options.enable_tiling_heuristics) find_transposed(accesses, kernel);
}

}  // namespace cppgen::schedule
