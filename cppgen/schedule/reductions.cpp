#include "cppgen/schedule/reductions.h"

#include <fmt/format.h>

#include <optional>

#include "cppgen/schedule/uses.h"

namespace cppgen::schedule {
namespace {

using ir::ReduceOp;

std::optional<int64_t> constant_points(const std::vector<ir::Loop>& loops) {
  IndexExpr n = 1;
  for (const auto& l : loops) n = n * l.extent;
  return n.is_constant() ? std::optional(n.constant()) : std::nullopt;
}

bool may_change(const LoopNest& nest, const std::set<BufferId>& kept) {
  if (nest.is_contraction()) return false;
  for (const auto& s : nest.stores)
    if (kept.count(s.buffer)) return false;
  for (const auto& r : nest.reductions)
    if (!ir::combining(r.op)) return false;
  return !nest.reductions.empty();
}

// The reduction's value at each point of the reduced loops, combined in loop order.
Expr unrolled(Program& program, const LoopNest& nest, const ir::Reduction& reduction, int64_t points) {
  Expr total = nullptr;
  for (int64_t p = 0; p < points; p++) {
    ir::Rewrite at;
    int64_t rest = p;
    for (size_t l = nest.reduced.size(); l-- > 0;) {
      int64_t extent = nest.reduced[l].extent.constant();
      at.indices[nest.reduced[l].var.node()] = rest % extent;
      rest /= extent;
    }
    Expr value = ir::rewrite(*program.exprs, reduction.value, at);
    total = total ? program.exprs->binary(*ir::combining(reduction.op), total, value) : value;
  }
  return total;
}

void unroll(Program& program, LoopNest& nest, int64_t points) {
  std::vector<Expr> values;
  for (const auto& r : nest.reductions) values.push_back(unrolled(program, nest, r, points));
  nest.reductions.clear();
  nest.reduced.clear();
  ir::Rewrite rewrite;
  rewrite.replace_accumulator = [&](Expr a) { return values[size_t(a->accumulator)]; };
  rewrite_nest(program, nest, rewrite);
}

constexpr int64_t kFewPoints = 64, kLongReduction = 32768, kPart = 8192, kMostParts = 64;

// Into how many parts the outermost reduced loop (of this extent) is cut; 1: not at all.
int64_t parts_of(int64_t extent, int64_t total) {
  int64_t parts = std::min({kMostParts, extent, total / kPart});
  while (parts > 1 && extent % parts) parts--;
  return parts;
}

// first: partial[p, loops] over 1/parts of the outermost reduced loop; nest: reduces over p.
LoopNest cut(Program& program, LoopNest& nest, int64_t parts) {
  LoopNest first = nest;
  first.name += "_part";
  first.stores.clear();
  IndexExpr part = program.index->loop("p", parts);
  ir::Loop& outermost = first.reduced[0];
  IndexExpr length = outermost.extent.constant() / parts;
  IndexExpr within = program.index->loop("r", length);
  ir::Rewrite shift;
  shift.indices[outermost.var.node()] = part * length + within;
  outermost = {within, length};

  std::vector<IndexExpr> shape{parts}, store_index{part}, load_index;
  IndexExpr p = program.index->loop("p", parts);
  load_index.push_back(p);
  for (auto& l : first.loops) {
    IndexExpr fresh = program.index->loop("i", l.extent);
    shift.indices[l.var.node()] = fresh;
    shape.push_back(l.extent);
    load_index.push_back(l.var);
    l.var = fresh;
    store_index.push_back(fresh);
  }
  rewrite_nest(program, first, shift);
  first.loops.insert(first.loops.begin(), {part, parts});
  for (size_t r = 0; r < nest.reductions.size(); r++) {
    auto& reduction = nest.reductions[r];
    ir::BufferId partial = program.add_buffer(nest.name + "_partial", reduction.type, shape, ir::BufferKind::temporary);
    first.stores.push_back({partial, store_index, program.exprs->accumulator(int(r), reduction.type), {}});
    reduction.value = program.exprs->load(partial, reduction.type, load_index);
  }
  nest.reduced = {{p, parts}};
  return first;
}

}  // namespace

void unroll_small_reductions(Program& program, const Options& options, const std::set<BufferId>& kept,
                             DecisionLog& log) {
  for (auto& statement : program.statements) {
    LoopNest* nest = as_nest(statement);
    if (!nest || !may_change(*nest, kept)) continue;
    auto points = constant_points(nest->reduced);
    if (!points || *points < 1 || *points > options.unroll_reductions_threshold) continue;
    log.add("unroll", describe(statement), FusionDecision::yes(fmt::format("{} points: pointwise", *points)));
    unroll(program, *nest, *points);
  }
}

void split_long_reductions(Program& program, const Options& options, const std::set<BufferId>& kept, DecisionLog& log) {
  if (!options.split_reductions) return;
  for (size_t i = 0; i < program.statements.size(); i++) {
    LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !may_change(*nest, kept)) continue;
    auto outer = constant_points(nest->loops), total = constant_points(nest->reduced);
    if (!outer || !total || *total * std::max<int64_t>(*outer, 1) < kLongReduction || *outer >= kFewPoints) continue;
    if (nest->reduced[0].extent.is_constant() == false) continue;
    int64_t parts = parts_of(nest->reduced[0].extent.constant(), *total * *outer);
    if (parts < 2) continue;
    log.add("split", describe(program.statements[i]), FusionDecision::yes(fmt::format("{} parts", parts)));
    LoopNest first = cut(program, *nest, parts);
    program.statements.insert(program.statements.begin() + long(i), std::move(first));
    i++;
  }
}

}  // namespace cppgen::schedule
