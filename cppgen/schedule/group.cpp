#include "cppgen/schedule/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "cppgen/schedule/uses.h"
#include "runtime/base/errors.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

bool is_trivial(const Loop& l) { return l.extent.is_constant(1); }

Segment segment_of(const LoopNest& nest, size_t outer_count) {
  Segment s;
  s.loops.assign(nest.loops.begin() + long(outer_count), nest.loops.end());
  s.reduced = nest.reduced;
  s.reductions = nest.reductions;
  s.stores = nest.stores;
  return s;
}

// Replaces loops of extent 1 by 0 and renames the rest to their own fresh variables' values in `map`.
LoopNest substituted(Program& program, LoopNest nest, const ir::IndexMap& map) {
  ir::Rewrite rewrite;
  rewrite.indices = map;
  rewrite_nest(program, nest, rewrite);
  return nest;
}

LoopNest without_trivial_loops(Program& program, const LoopNest& nest) {
  ir::IndexMap zero;
  for (const auto* loops : {&nest.loops, &nest.reduced})
    for (const Loop& l : *loops)
      if (is_trivial(l)) zero[l.var.node()] = 0;
  // A reduction over one point stays a reduction: kernels tell one by its reduced loops.
  bool one_point = !nest.reduced.empty() && std::all_of(nest.reduced.begin(), nest.reduced.end(), is_trivial);
  if (one_point) zero.erase(nest.reduced.back().var.node());
  if (zero.empty()) return nest;
  LoopNest result = substituted(program, nest, zero);
  std::vector<ir::AxisRole> roles;
  for (size_t i = 0; i < nest.roles.size(); i++) {
    const Loop& l = i < nest.loops.size() ? nest.loops[i] : nest.reduced[i - nest.loops.size()];
    if (!is_trivial(l)) roles.push_back(nest.roles[i]);
  }
  result.roles = roles;
  std::erase_if(result.loops, is_trivial);
  std::erase_if(result.reduced, is_trivial);
  if (one_point) result.reduced = {nest.reduced.back()};
  return result;
}

// How the loops of a nest line up with a group's outer loops: for each outer loop, the nest's loop that is it.
using Alignment = std::vector<size_t>;

// A nest that reads what the group stores must read it at the same outer point: the loop variables in the indices of
// its loads say which loop is which outer loop.
std::optional<Alignment> align_by_loads(const Group& group, const LoopNest& nest, size_t outer_count) {
  std::vector<std::optional<size_t>> found(outer_count);
  bool any = false;
  for (Expr load : loads_of(nest)) {
    for (const Segment& s : group.segments)
      for (const auto* stores : {&s.stores, &s.body})
        for (const auto& store : *stores) {
          if (store.buffer != load->buffer) continue;
          any = true;
          for (size_t o = 0; o < outer_count; o++)
            for (size_t d = 0; d < store.indices.size(); d++) {
              if (!(store.indices[d] == group.outer[o].var)) continue;
              auto loop = std::find_if(nest.loops.begin(), nest.loops.end(),
                                       [&](const Loop& l) { return l.var == load->indices[d]; });
              if (loop == nest.loops.end()) return std::nullopt;
              size_t index = size_t(loop - nest.loops.begin());
              if (found[o] && *found[o] != index) return std::nullopt;
              found[o] = index;
            }
        }
  }
  if (!any) return std::nullopt;
  Alignment alignment;
  for (const auto& f : found) {
    if (!f) return std::nullopt;
    alignment.push_back(*f);
  }
  return alignment;
}

std::optional<Alignment> align_by_position(const Group& group, const LoopNest& nest, size_t outer_count) {
  if (nest.loops.size() < outer_count) return std::nullopt;
  Alignment alignment;
  for (size_t o = 0; o < outer_count; o++) alignment.push_back(o);
  (void)group;
  return alignment;
}

bool extents_match(const Group& group, const LoopNest& nest, const Alignment& alignment) {
  for (size_t o = 0; o < alignment.size(); o++)
    if (!(group.outer[o].extent == nest.loops[alignment[o]].extent)) return false;
  return std::set<size_t>(alignment.begin(), alignment.end()).size() == alignment.size();
}

// The nest's segment over the group's first alignment.size() outer loops.
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

// Loads of a group's own buffers must be at the outer point that stored them.
bool is_local_to_point(const Group& group, size_t outer_count, const Segment& segment) {
  std::vector<Expr> roots;
  for (const auto& r : segment.reductions) roots.push_back(r.value);
  for (const auto& s : segment.stores) roots.push_back(s.value);
  for (Expr e : ir::postorder(roots)) {
    if (e->kind != ir::ExprKind::load) continue;
    for (const Segment& producer : group.segments)
      for (const auto& store : producer.stores) {
        if (store.buffer != e->buffer) continue;
        if (!e->guards.empty() || !e->indirects.empty() || !store.indirects.empty()) return false;
        for (size_t o = 0; o < outer_count; o++) {
          const auto* var = group.outer[o].var.node();
          bool pinned = false;
          for (size_t d = 0; d < store.indices.size(); d++)
            pinned |= store.indices[d].node() == var && e->indices[d].node() == var;
          if (!pinned) return false;
        }
      }
  }
  return true;
}

constexpr size_t kSiblingReductions = 4;

// Whether no reduction keeps positions, for which the order of loops matters.
bool is_position_free(const Segment& s) {
  return std::none_of(s.reductions.begin(), s.reductions.end(), [](const ir::Reduction& r) {
    return r.op == ir::ReduceOp::argmin || r.op == ir::ReduceOp::argmax;
  });
}

// Whether some load of `b` is one of `a` when the reduced loops of both, which have equal extents, are the same.
bool read_same_elements(const Segment& a, const Segment& b) {
  if (a.reduced.size() != b.reduced.size() || !a.loops.empty() || !b.loops.empty()) return false;
  ir::IndexMap map;
  for (size_t i = 0; i < a.reduced.size(); i++) {
    if (!(a.reduced[i].extent == b.reduced[i].extent)) return false;
    map[b.reduced[i].var.node()] = a.reduced[i].var;
  }
  auto loads = [](const Segment& s) {
    std::vector<Expr> roots, found;
    for (const auto& r : s.reductions) roots.push_back(r.value);
    for (Expr e : ir::postorder(roots))
      if (e->kind == ir::ExprKind::load && !e->indices.empty()) found.push_back(e);
    return found;
  };
  for (Expr y : loads(b))
    for (Expr x : loads(a)) {
      if (x->buffer != y->buffer || x->indices.size() != y->indices.size()) continue;
      bool same = true, reduced = false;
      for (size_t d = 0; d < x->indices.size(); d++) {
        IndexExpr index = ir::substitute(y->indices[d], map);
        same &= index == x->indices[d];
        for (const Loop& l : a.reduced) reduced |= ir::depends_on(index, l.var.node());
      }
      if (same && reduced) return true;
    }
  return false;
}

class Grouper {
 public:
  Grouper(Program& program, const Options& options, DecisionLog& log)
      : program_(program), options_(options), log_(log), writer_(program.buffers.size()) {}

  std::vector<Group> run() {
    for (int i = 0; i < int(program_.statements.size()); i++) place(i);
    return ordered();
  }

 private:
  Program& program_;
  const Options& options_;
  DecisionLog& log_;
  std::vector<Group> groups_;
  std::vector<std::vector<bool>> ancestors_;  // per group: the groups it depends on
  std::vector<std::vector<int>> writer_;      // per buffer: groups that store it

  std::vector<BufferId> reads_of(int i) const {
    std::vector<BufferId> all;
    if (const LoopNest* nest = as_nest(program_.statements[size_t(i)]))
      for (Expr load : loads_of(*nest)) all.push_back(load->buffer);
    else
      all = std::get<ir::LibraryCall>(program_.statements[size_t(i)]).inputs;
    return all;
  }

  std::vector<BufferId> writes_of(int i) const {
    std::vector<BufferId> all;
    if (const LoopNest* nest = as_nest(program_.statements[size_t(i)]))
      for (const auto& s : nest->stores) all.push_back(s.buffer);
    else
      all = std::get<ir::LibraryCall>(program_.statements[size_t(i)]).outputs;
    return all;
  }

  std::vector<int> producers_of(int i) const {
    std::set<int> found;
    for (BufferId b : reads_of(i)) found.insert(writer_[size_t(b)].begin(), writer_[size_t(b)].end());
    return {found.begin(), found.end()};
  }

  void place(int i) {
    const LoopNest* nest = as_nest(program_.statements[size_t(i)]);
    auto producers = producers_of(i);
    if (nest && !nest->is_contraction()) {
      LoopNest plain = without_trivial_loops(program_, *nest);
      if (int64_t(operation_count(plain)) <= options_.max_fusion_size)
        for (int g : candidates(producers))
          if (join(g, i, plain, producers)) return;
      open(i, plain, producers);
    } else {
      open(i, nest ? *nest : LoopNest{}, producers);
      groups_.back().closed = true;
    }
  }

  // Producers first, latest first; then recent groups for horizontal fusion.
  std::vector<int> candidates(const std::vector<int>& producers) const {
    std::vector<int> result(producers.rbegin(), producers.rend());
    int first = std::max(0, int(groups_.size()) - 32);
    for (int g = int(groups_.size()); g-- > first;)
      if (std::find(result.begin(), result.end(), g) == result.end()) result.push_back(g);
    return result;
  }

  void open(int i, const LoopNest& nest, const std::vector<int>& producers) {
    Group g;
    g.statements = {i};
    g.outer = nest.loops;
    g.segments.push_back(segment_of(nest, nest.loops.size()));
    groups_.push_back(std::move(g));
    std::vector<bool> depends(groups_.size(), false);
    note_producers(depends, producers);
    ancestors_.push_back(std::move(depends));
    for (BufferId b : writes_of(i)) writer_[size_t(b)].push_back(int(groups_.size()) - 1);
  }

  void note_producers(std::vector<bool>& depends, const std::vector<int>& producers) const {
    for (int p : producers) {
      depends[size_t(p)] = true;
      for (size_t a = 0; a < ancestors_[size_t(p)].size(); a++)
        if (ancestors_[size_t(p)][a]) depends[a] = true;
    }
  }

  bool has_ancestor(int group, int ancestor) const {
    const auto& a = ancestors_[size_t(group)];
    return size_t(ancestor) < a.size() && a[size_t(ancestor)];
  }

  bool join(int g, int i, const LoopNest& nest, const std::vector<int>& producers) {
    Group& group = groups_[size_t(g)];
    if (group.closed) return false;
    bool related = std::find(producers.begin(), producers.end(), g) != producers.end();
    Group widened;
    Segment segment;
    FusionDecision d = can_join(g, group, nest, producers, related, widened, segment);
    if (!d.fused && !related) return false;  // not worth a line each
    std::string subject = describe(program_.statements[size_t(group.statements.back())]) + " + " +
                          describe(program_.statements[size_t(i)]);
    if (!log_.add(related ? "group" : "horizontal", subject, d)) return false;
    widened.segments.push_back(std::move(segment));
    widened.statements.push_back(i);
    group = std::move(widened);
    for (BufferId b : writes_of(i))
      if (auto& w = writer_[size_t(b)]; std::find(w.begin(), w.end(), g) == w.end()) w.push_back(g);
    inherit(g, producers);
    return true;
  }

  // The group now depends on these; so does all that depends on the group.
  void inherit(int g, const std::vector<int>& producers) {
    std::vector<bool> more(groups_.size(), false);
    std::vector<int> others = producers;
    std::erase(others, g);
    note_producers(more, others);
    auto merge = [&](std::vector<bool>& into) {
      into.resize(groups_.size(), false);
      for (size_t a = 0; a < more.size(); a++)
        if (more[a]) into[a] = true;
    };
    merge(ancestors_[size_t(g)]);
    for (size_t h = 0; h < groups_.size(); h++)
      if (has_ancestor(int(h), g)) merge(ancestors_[h]);
  }

  FusionDecision can_join(int g, const Group& group, const LoopNest& nest, const std::vector<int>& producers,
                          bool related, Group& widened, Segment& segment) {
    int64_t limit = related ? options_.max_fusion_size : options_.max_horizontal_fusion_size;
    if (int64_t(group.statements.size()) + 1 > limit)
      return FusionDecision::no(fmt::format("the kernel has {} nodes", limit));
    for (int p : producers)
      if (p != g && has_ancestor(p, g)) return FusionDecision::no("another kernel runs between the two");
    widened = group;
    if (!related) return join_sibling(group, nest, segment);
    return join_consumer(widened, nest, segment);
  }

  FusionDecision join_sibling(const Group& group, const LoopNest& nest, Segment& segment) {
    bool pointwise = nest.reduced.empty();
    for (const Segment& s : group.segments) pointwise &= s.reduced.empty() && s.loops.empty();
    if (!pointwise) return join_reduction(group, nest, segment);
    if (nest.loops.size() != group.outer.size()) return FusionDecision::no("different loops");
    auto alignment = align_by_position(group, nest, group.outer.size());
    if (!alignment || !extents_match(group, nest, *alignment)) return FusionDecision::no("different loops");
    segment = aligned_segment(program_, group, nest, *alignment);
    return FusionDecision::yes("siblings over equal loops");
  }

  // A reduction beside others that read the same elements: these come from memory once.
  FusionDecision join_reduction(const Group& group, const LoopNest& nest, Segment& segment) {
    if (nest.reduced.empty() || nest.loops.size() != group.outer.size() || nest.loops.empty())
      return FusionDecision::no("only pointwise siblings, and reductions over equal loops, share a kernel");
    auto alignment = align_by_position(group, nest, group.outer.size());
    if (!alignment || !extents_match(group, nest, *alignment)) return FusionDecision::no("different loops");
    size_t reductions = nest.reductions.size();
    for (const Segment& s : group.segments) reductions += s.reductions.size();
    if (reductions > kSiblingReductions) return FusionDecision::no("too many accumulators");
    Segment candidate = aligned_segment(program_, group, nest, *alignment);
    for (const Segment& s : group.segments)
      if (!s.reductions.empty() && is_position_free(s) && is_position_free(candidate) &&
          read_same_elements(s, candidate)) {
        segment = std::move(candidate);
        return FusionDecision::yes("reductions of the same elements");
      }
    return FusionDecision::no("the reductions read different elements");
  }

  // Tries all outer loops of the group, then only as many as the nest has (the group's pointwise nests then run their
  // remaining loops inside).
  FusionDecision join_consumer(Group& widened, const LoopNest& nest, Segment& segment) {
    const Group group = widened;
    for (size_t count = group.outer.size() + 1; count-- > 1;) {
      auto alignment = align_by_loads(group, nest, count);
      if (!alignment || !extents_match(group, nest, *alignment)) continue;
      if (count < group.outer.size() && !narrows(group, nest, count)) continue;
      Segment candidate = aligned_segment(program_, group, nest, *alignment);
      if (!is_local_to_point(group, count, candidate)) continue;
      widened = narrowed(group, count);
      segment = std::move(candidate);
      return FusionDecision::yes(count == group.outer.size() ? "same points" : "rows kept in cache");
    }
    return FusionDecision::no("the reader needs more than one point of the producer, or runs over other loops");
  }

  // Giving up outer loops must be worth it: only a row reduction whose loops are the remaining ones.
  static bool narrows(const Group& group, const LoopNest& nest, size_t count) {
    if (nest.reduced.empty() || nest.loops.size() != count) return false;
    IndexExpr points = 1;
    for (size_t o = 0; o < count; o++) points = points * group.outer[o].extent;
    return !points.is_constant() || points.constant() >= 8;
  }

  // The outer loops behind the first `count` go into the segments, each with variables of its own: later stages change
  // the loops of one segment alone.
  Group narrowed(const Group& group, size_t count) {
    Group result = group;
    result.outer.resize(count);
    for (Segment& s : result.segments) {
      std::vector<Loop> inner(group.outer.begin() + long(count), group.outer.end());
      LoopNest own;
      own.reductions = std::move(s.reductions), own.stores = std::move(s.stores);
      ir::IndexMap fresh;
      for (Loop& l : inner) {
        IndexExpr var = program_.index->loop("i", l.extent);
        fresh[l.var.node()] = var;
        l.var = var;
      }
      own = substituted(program_, std::move(own), fresh);
      s.reductions = std::move(own.reductions), s.stores = std::move(own.stores);
      s.loops.insert(s.loops.begin(), inner.begin(), inner.end());
    }
    return result;
  }

  // Topological order, by first statement where free.
  std::vector<Group> ordered() {
    size_t n = groups_.size();
    std::vector<Group> result;
    std::vector<bool> done(n, false);
    auto ready = [&](size_t g) {
      for (size_t a = 0; a < ancestors_[g].size(); a++)
        if (a != g && ancestors_[g][a] && !done[a]) return false;
      return true;
    };
    while (result.size() < n) {
      std::optional<size_t> next;
      for (size_t g = 0; g < n; g++)
        if (!done[g] && ready(g) && (!next || groups_[g].statements.front() < groups_[*next].statements.front()))
          next = g;
      check(next.has_value(), "schedule: groups depend on each other in a cycle");
      done[*next] = true;
      result.push_back(std::move(groups_[*next]));
    }
    return result;
  }
};

}  // namespace

std::vector<Group> group_statements(const Program& program, const Options& options, DecisionLog& log) {
  Program copy = program;
  return Grouper(copy, options, log).run();
}

}  // namespace cppgen::schedule
