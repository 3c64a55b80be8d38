#include "cppgen/schedule/fusion/group_align.h"

#include <algorithm>
#include <set>

namespace cppgen::schedule {
namespace {

using ir::Loop;
using ir::Store;

bool is_trivial(const Loop& l) { return l.extent.is_constant(1); }

LoopNest substituted(Program& program, LoopNest nest, const ir::IndexMap& map) {
  ir::Rewrite rewrite;
  rewrite.indices = map;
  ir::rewrite(*program.exprs, nest, rewrite);
  return nest;
}

std::vector<ir::AxisRole> roles_without_trivial(const LoopNest& nest) {
  std::vector<ir::AxisRole> roles;
  for (size_t i = 0; i < nest.roles.size(); i++) {
    const Loop& l = i < nest.loops.size() ? nest.loops[i] : nest.reduced[i - nest.loops.size()];
    if (!is_trivial(l)) roles.push_back(nest.roles[i]);
  }
  return roles;
}

bool extents_match(const Group& group, const LoopNest& nest, const Alignment& alignment) {
  for (size_t o = 0; o < alignment.size(); o++)
    if (!(group.outer[o].extent == nest.loops[alignment[o]].extent)) return false;
  return std::set<size_t>(alignment.begin(), alignment.end()).size() == alignment.size();
}

// Calls f for each store of the group that writes the buffer.
template <class F>
void each_store_of(const Group& group, BufferId buffer, F f) {
  for (const Segment& s : group.segments)
    for (const Store& store : s.stores)
      if (store.buffer == buffer) f(store);
}

// The correspondence between loops of a nest and a group's outer loops, as far as its loads determine it.
struct FoundLoops {
  const Group& group;
  const LoopNest& nest;
  std::vector<std::optional<size_t>> positions;  // per outer loop
  bool any = false, conflict = false;

  // The load has the loop's variable in the index in which the store has the outer loop's.
  void note(const Store& store, Expr load) {
    any = true;
    for (size_t o = 0; o < positions.size(); o++)
      for (size_t d = 0; d < store.indices.size(); d++)
        if (store.indices[d] == group.outer[o].var) note(o, load->indices[d]);
  }

  void note(size_t outer, IndexExpr variable) {
    auto loop = std::find_if(nest.loops.begin(), nest.loops.end(), [&](const Loop& l) { return l.var == variable; });
    size_t position = size_t(loop - nest.loops.begin());
    if (loop == nest.loops.end() || (positions[outer] && *positions[outer] != position)) conflict = true;
    positions[outer] = position;
  }
};

bool is_pinned(const Store& store, Expr load, const ir::IndexNode* outer_variable) {
  for (size_t d = 0; d < store.indices.size(); d++)
    if (store.indices[d].node() == outer_variable && load->indices[d].node() == outer_variable) return true;
  return false;
}

bool is_at_point_of(const Group& group, size_t outer_count, const Store& store, Expr load) {
  if (!load->guards.empty() || !load->indirects.empty()) return false;
  return std::all_of(group.outer.begin(), group.outer.begin() + long(outer_count),
                     [&](const Loop& l) { return is_pinned(store, load, l.var.node()); });
}

void take_loops_inside(Program& program, Segment& s, std::vector<Loop> loops) {
  ir::Rewrite rewrite;
  for (Loop& l : loops) {
    IndexExpr var = program.index->loop("i", l.extent);
    rewrite.indices[l.var.node()] = var;
    l.var = var;
  }
  ir::rewrite(*program.exprs, s, rewrite);
  s.loops.insert(s.loops.begin(), loops.begin(), loops.end());
}

}  // namespace

LoopNest without_trivial_loops(Program& program, const LoopNest& nest) {
  ir::IndexMap zero;
  for (const auto* loops : {&nest.loops, &nest.reduced})
    for (const Loop& l : *loops)
      if (is_trivial(l)) zero[l.var.node()] = 0;
  bool one_point = !nest.reduced.empty() && std::all_of(nest.reduced.begin(), nest.reduced.end(), is_trivial);
  if (one_point) zero.erase(nest.reduced.back().var.node());
  if (zero.empty()) return nest;
  LoopNest result = substituted(program, nest, zero);
  result.roles = roles_without_trivial(nest);
  std::erase_if(result.loops, is_trivial);
  std::erase_if(result.reduced, is_trivial);
  if (one_point) result.reduced = {nest.reduced.back()};
  return result;
}

std::optional<Alignment> align_by_position(const Group& group, const LoopNest& nest) {
  if (nest.loops.size() != group.outer.size()) return std::nullopt;
  Alignment alignment;
  for (size_t o = 0; o < group.outer.size(); o++) alignment.push_back(o);
  return extents_match(group, nest, alignment) ? std::optional(alignment) : std::nullopt;
}

std::optional<Alignment> align_by_loads(const Group& group, const LoopNest& nest, size_t outer_count) {
  FoundLoops found{group, nest, std::vector<std::optional<size_t>>(outer_count)};
  for (Expr load : loads_of(nest))
    each_store_of(group, load->buffer, [&](const Store& store) { found.note(store, load); });
  if (!found.any || found.conflict) return std::nullopt;
  Alignment alignment;
  for (const auto& position : found.positions) {
    if (!position) return std::nullopt;
    alignment.push_back(*position);
  }
  return extents_match(group, nest, alignment) ? std::optional(alignment) : std::nullopt;
}

Segment segment_of(const LoopNest& nest, size_t outer_count) {
  Segment s;
  s.loops.assign(nest.loops.begin() + long(outer_count), nest.loops.end());
  s.reduced = nest.reduced;
  s.reductions = nest.reductions;
  s.stores = nest.stores;
  return s;
}

Segment aligned_segment(Program& program, const Group& group, const LoopNest& nest, const Alignment& alignment) {
  ir::IndexMap map;
  LoopNest inner = nest;
  inner.loops.clear();
  for (size_t i = 0; i < nest.loops.size(); i++) {
    auto o = std::find(alignment.begin(), alignment.end(), i);
    if (o == alignment.end())
      inner.loops.push_back(nest.loops[i]);
    else
      map[nest.loops[i].var.node()] = group.outer[size_t(o - alignment.begin())].var;
  }
  return segment_of(substituted(program, inner, map), 0);
}

bool is_local_to_point(const Group& group, size_t outer_count, const Segment& segment) {
  bool local = true;
  for (Expr load : loads_of(segment))
    each_store_of(group, load->buffer,
                  [&](const Store& store) { local = local && is_at_point_of(group, outer_count, store, load); });
  return local;
}

Group narrowed(Program& program, const Group& group, size_t count) {
  Group result = group;
  result.outer.resize(count);
  for (Segment& s : result.segments)
    take_loops_inside(program, s, {group.outer.begin() + long(count), group.outer.end()});
  return result;
}

}  // namespace cppgen::schedule
