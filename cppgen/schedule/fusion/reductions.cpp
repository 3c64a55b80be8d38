#include <fmt/format.h>

#include <optional>

#include "cppgen/ir/values/op_table.h"
#include "cppgen/schedule/passes.h"
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
  ir::rewrite(*program.exprs, nest, rewrite);
}

// The first divisor of the extent that is at least `wanted` and not much greater; nullopt if there is none.
std::optional<int64_t> divisor_near(int64_t wanted, int64_t extent, const Tuning& tuning) {
  for (int64_t parts = wanted; parts < std::min(extent, tuning.split_excess * wanted); parts++)
    if (extent % parts == 0) return parts;
  return std::nullopt;
}

// There are at least MIN_NUM_SPLIT parts, none of them empty, if the extent is that long.
int64_t least_parts(int64_t extent, const Options& options, const Tuning& tuning) {
  const int64_t least = std::min(options.min_num_split, extent);
  if (least < 2) return 1;
  return divisor_near(least, extent, tuning).value_or(pieces(extent, extent / least));
}

// The number of parts into which the outermost reduced loop (of this extent) is split; 1: not split.
int64_t parts_of(int64_t extent, int64_t total, const Options& options, const Tuning& tuning) {
  int64_t parts = std::min({tuning.split_parts, extent, total / tuning.split_part});
  while (parts > 1 && extent % parts) parts--;
  return std::max(parts, least_parts(extent, options, tuning));
}

bool sums_floats(const LoopNest& nest) {
  return std::all_of(nest.reductions.begin(), nest.reductions.end(),
                     [](const auto& r) { return r.op == ReduceOp::sum && is_float(r.type); });
}

// A reduced loop and the number of its parts, which may leave some points of the last one over; or the first reduced
// loops, of which each point is a part.
struct Cut {
  size_t loop = 0;
  int64_t parts = 1;
  size_t whole_loops = 0;

  bool divides() const { return parts > 1 || whole_loops > 0; }
  std::string text() const { return whole_loops > 0 ? "its rows are parts" : fmt::format("{} parts", parts); }
};

// Parts of a very long sum, in whichever reduced loop is long: however many results there are, its threads share it.
Cut cut_long_sum(const LoopNest& nest, int64_t total, const Options& options, const Tuning& tuning) {
  const int64_t wanted = pieces(total, tuning.sum_part);
  size_t loop = 0;
  for (size_t i = 0; i < nest.reduced.size(); i++) {
    if (nest.reduced[i].extent.constant() > nest.reduced[loop].extent.constant()) loop = i;
    if (nest.reduced[i].extent.constant() < tuning.split_excess * wanted) continue;
    loop = i;
    break;
  }
  const int64_t extent = nest.reduced[loop].extent.constant();
  const int64_t parts = divisor_near(wanted, extent, tuning).value_or(std::min(extent, wanted));
  return {loop, std::max(parts, least_parts(extent, options, tuning))};
}

// The value, or what changes no result of the reduction if the index is out of range.
Expr inside(Program& program, const ir::Reduction& reduction, IndexExpr index, IndexExpr extent) {
  auto& exprs = *program.exprs;
  ir::Rewrite rewrite;
  rewrite.replace_load = [&](Expr load) -> Expr {
    auto guards = load->guards;
    guards.push_back({index, 0, extent});
    return exprs.load(load->buffer, program.buffer(load->buffer).type, load->indices, std::move(guards),
                      load->guards.empty() ? exprs.zero(load->type) : load->args[0], load->indirects);
  };
  const Expr in = exprs.binary(ir::BinaryOp::lt, exprs.index(index), exprs.index(extent));
  const Expr value = ir::rewrite(exprs, reduction.value, rewrite);
  return exprs.select(in, value, ir::identity(exprs, reduction.op, value->type));
}

// Completes `first`, which reduces parts of the nest's points, each a point of the loops `parts`: it stores
// partial[parts, loops], over whose parts the nest reduces then.
void reduce_partials(Program& program, LoopNest& nest, LoopNest& first, const std::vector<ir::Loop>& parts,
                     ir::Rewrite& fresh) {
  first.name += "_part";
  first.stores.clear();
  std::vector<IndexExpr> shape, store_index, load_index;
  nest.reduced.clear();
  for (const ir::Loop& part : parts) {
    const IndexExpr p = program.index->loop("p", part.extent);
    nest.reduced.push_back({p, part.extent});
    shape.push_back(part.extent), store_index.push_back(part.var), load_index.push_back(p);
  }
  for (auto& l : first.loops) {
    IndexExpr var = program.index->loop("i", l.extent);
    fresh.indices[l.var.node()] = var;
    shape.push_back(l.extent), store_index.push_back(var), load_index.push_back(l.var);
    l.var = var;
  }
  ir::rewrite(*program.exprs, first, fresh);
  first.loops.insert(first.loops.begin(), parts.begin(), parts.end());
  for (size_t r = 0; r < nest.reductions.size(); r++) {
    auto& reduction = nest.reductions[r];
    ir::BufferId partial = program.add_buffer(nest.name + "_partial", reduction.type, shape, ir::BufferKind::temporary);
    first.stores.push_back({partial, store_index, program.exprs->accumulator(int(r), reduction.type)});
    reduction.value = program.exprs->load(partial, reduction.type, load_index);
  }
}

// The nest that reduces 1/parts of a reduced loop for each part.
LoopNest cut_loop(Program& program, LoopNest& nest, const Cut& how) {
  LoopNest first = nest;
  ir::Loop& loop = first.reduced[how.loop];
  const IndexExpr extent = loop.extent, length = pieces(extent.constant(), how.parts);
  const ir::Loop part{program.index->loop("p", how.parts), how.parts};
  const IndexExpr within = program.index->loop("r", length), at = part.var * length + within;
  ir::Rewrite fresh;
  fresh.indices[loop.var.node()] = at;
  loop = {within, length};
  reduce_partials(program, nest, first, {part}, fresh);
  if (extent.constant() % how.parts != 0)
    for (auto& r : first.reductions) r.value = inside(program, r, at, extent);
  return first;
}

// The nest that reduces the other loops for each point of the first `count` reduced loops.
LoopNest cut_by_loops(Program& program, LoopNest& nest, size_t count) {
  LoopNest first = nest;
  const auto end = first.reduced.begin() + long(count);
  const std::vector<ir::Loop> parts(first.reduced.begin(), end);
  first.reduced.erase(first.reduced.begin(), end);
  ir::Rewrite fresh;
  reduce_partials(program, nest, first, parts, fresh);
  return first;
}

// The nest that reduces the parts, which `nest` combines then.
LoopNest cut(Program& program, LoopNest& nest, const Cut& how) {
  return how.whole_loops > 0 ? cut_by_loops(program, nest, how.whole_loops) : cut_loop(program, nest, how);
}

bool is_exact_in_any_order(const ir::Reduction& r) {
  return !is_float(r.type) || r.op == ReduceOp::min || r.op == ReduceOp::max;
}

// The number of reduced loops of a reduction with one result of which each point is a part, as rows of a tensor are,
// whatever their extents; 0: none.
size_t loops_of_parts(const LoopNest& nest, const Options& options, const Tuning& tuning) {
  if (constant_points(nest.loops) != 1) return 0;
  if (!std::all_of(nest.reductions.begin(), nest.reductions.end(), is_exact_in_any_order)) return 0;
  const auto total = constant_points(nest.reduced);
  if (total && *total < tuning.split_points) return 0;
  size_t count = nest.reduced.size();
  IndexExpr points = 1;
  while (count > 0 && points.is_constant() && points.constant() < tuning.split_row)
    points = points * nest.reduced[--count].extent;
  const auto parts = constant_points({nest.reduced.begin(), nest.reduced.begin() + long(count)});
  const bool is_row = points.is_constant() && points.constant() <= tuning.split_part;
  const int64_t least = std::max<int64_t>(options.min_num_split, 2);
  return is_row && (!parts || (*parts >= least && *parts <= tuning.split_rows)) ? count : 0;
}

// Splits reductions with few results, and very long sums, for many threads.
Cut choose_cut(const LoopNest& nest, const Options& options, const Tuning& tuning) {
  if (const size_t loops = loops_of_parts(nest, options, tuning); loops > 0) return {.whole_loops = loops};
  const auto outer = constant_points(nest.loops), total = constant_points(nest.reduced);
  if (!total) return {};
  Cut cut;
  if (outer && *outer < tuning.split_results && *total * std::max<int64_t>(*outer, 1) >= tuning.split_points) {
    for (size_t i = 0; i < nest.reduced.size(); i++) {
      const int64_t parts = parts_of(nest.reduced[i].extent.constant(), *total * *outer, options, tuning);
      if (parts > cut.parts) cut = {i, parts};
    }
  }
  if (sums_floats(nest) && *total / std::max<int64_t>(cut.parts, 1) > tuning.sum_terms)
    return cut_long_sum(nest, *total, options, tuning);
  return cut;
}

}  // namespace

void unroll_small_reductions(Draft& draft) {
  Program& program = draft.program();
  for (auto& statement : program.statements) {
    LoopNest* nest = as_nest(statement);
    if (!nest || !may_change(*nest, draft.inside_attentions)) continue;
    auto points = constant_points(nest->reduced);
    if (!points || *points < 1 || *points > draft.options.unroll_reductions_threshold) continue;
    draft.log().add("unroll", describe(statement),
                    FusionDecision::yes(fmt::format("{} points become pointwise operations", *points)));
    unroll(program, *nest, *points);
  }
}

void split_long_reductions(Draft& draft) {
  Program& program = draft.program();
  for (size_t i = 0; i < program.statements.size(); i++) {
    LoopNest* nest = as_nest(program.statements[i]);
    if (!nest || !may_change(*nest, draft.inside_attentions)) continue;
    const Cut how = choose_cut(*nest, draft.options, draft.tuning());
    if (!how.divides()) continue;
    draft.log().add("split", describe(program.statements[i]), FusionDecision::yes(how.text()));
    LoopNest first = cut(program, *nest, how);
    program.statements.insert(program.statements.begin() + long(i), std::move(first));
    i++;
  }
}

}  // namespace cppgen::schedule
