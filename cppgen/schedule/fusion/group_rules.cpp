#include "cppgen/schedule/fusion/group_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cppgen/schedule/fusion/group_align.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

Joining refused(std::string reason) { return {FusionDecision::no(std::move(reason))}; }

Joining refused_by_setting(std::string reason) {
  Joining joining = refused(std::move(reason));
  joining.by_setting = true;
  return joining;
}

// A group gives up outer loops only for a row reduction whose loops are the remaining ones.
bool narrows(const Group& group, const LoopNest& nest, size_t count, const Tuning& tuning) {
  if (nest.reduced.empty() || nest.loops.size() != count) return false;
  IndexExpr points = 1;
  for (size_t o = 0; o < count; o++) points = points * group.outer[o].extent;
  return !points.is_constant() || points.constant() >= tuning.narrowed_points;
}

std::vector<Expr> reduced_loads(const Segment& s) {
  std::vector<Expr> found = loads_of(s.reductions);
  std::erase_if(found, [](Expr load) { return load->indices.empty(); });
  return found;
}

// Returns whether a reduction of the group slides a window along a loop: alone, it computes neighbouring windows
// together.
bool slides_windows(const Group& group) {
  const auto slides_along = [](IndexExpr index, const std::vector<Loop>& loops) {
    return std::any_of(loops.begin(), loops.end(), [&](const Loop& l) { return ir::depends_on(index, l.var.node()); });
  };
  return std::any_of(group.segments.begin(), group.segments.end(), [&](const Segment& s) {
    const auto loads = reduced_loads(s);
    return std::any_of(loads.begin(), loads.end(), [&](Expr e) {
      return std::any_of(e->indices.begin(), e->indices.end(), [&](IndexExpr index) {
        return slides_along(index, s.reduced) && (slides_along(index, group.outer) || slides_along(index, s.loops));
      });
    });
  });
}

// A single row is one point, which one thread computes, so it must be short.
bool is_short_row(const Group& group, const LoopNest& nest, const Tuning& tuning) {
  const auto is_short = [&](IndexExpr points) {
    return points.is_constant() && points.constant() <= tuning.lone_row_points;
  };
  bool reduces = !nest.reduced.empty(), all_short = is_short(ir::points(nest.loops) * ir::points(nest.reduced));
  for (const Segment& s : group.segments) {
    reduces |= !s.reduced.empty();
    all_short &= is_short(ir::points(group.outer) * ir::points(s.loops) * ir::points(s.reduced));
  }
  return reduces && all_short;
}

// Returns whether the group may give up all but `count` of its outer loops for the nest.
bool may_narrow(const Group& group, const LoopNest& nest, size_t count, bool short_row, const Tuning& tuning) {
  if (count == group.outer.size()) return count > 0 || short_row;
  return count > 0 ? narrows(group, nest, count, tuning) : short_row && !nest.reduced.empty() && nest.loops.empty();
}

// Returns whether no reduction computes positions, for which the order of loops matters.
bool is_position_free(const Segment& s) {
  return std::none_of(s.reductions.begin(), s.reductions.end(),
                      [](const ir::Reduction& r) { return ir::gives_position(r.op); });
}

// Returns whether `y`, its variables replaced, is the load `x`, and varies with the reduced loops.
bool is_same_load(Expr x, Expr y, const ir::IndexMap& map, const std::vector<Loop>& reduced) {
  if (x->buffer != y->buffer || x->indices.size() != y->indices.size()) return false;
  bool varies = false;
  for (size_t d = 0; d < x->indices.size(); d++) {
    IndexExpr index = ir::substitute(y->indices[d], map);
    if (!(index == x->indices[d])) return false;
    for (const Loop& l : reduced) varies |= ir::depends_on(index, l.var.node());
  }
  return varies;
}

// Returns whether some load of `b` is one of `a` when the reduced loops of both, which have equal extents, are the
// same.
bool read_same_elements(const Segment& a, const Segment& b) {
  if (a.reduced.size() != b.reduced.size() || !a.loops.empty() || !b.loops.empty()) return false;
  ir::IndexMap map;
  for (size_t i = 0; i < a.reduced.size(); i++) {
    if (!(a.reduced[i].extent == b.reduced[i].extent)) return false;
    map[b.reduced[i].var.node()] = a.reduced[i].var;
  }
  auto of_a = reduced_loads(a), of_b = reduced_loads(b);
  return std::any_of(of_b.begin(), of_b.end(), [&](Expr y) {
    return std::any_of(of_a.begin(), of_a.end(), [&](Expr x) { return is_same_load(x, y, map, a.reduced); });
  });
}

bool can_share_pass(const Segment& a, const Segment& b) {
  return !a.reductions.empty() && is_position_free(a) && is_position_free(b) && read_same_elements(a, b);
}

std::set<BufferId> loaded_buffers(const Segment& s) {
  std::set<BufferId> found;
  for (Expr load : loads_of(s)) found.insert(load->buffer);
  return found;
}

// The bytes of the buffers that the group and the segment both read.
int64_t shared_bytes(const Program& program, const Group& group, const Segment& segment) {
  std::set<BufferId> of_group;
  for (const Segment& s : group.segments) of_group.merge(loaded_buffers(s));
  int64_t bytes = 0;
  for (BufferId b : loaded_buffers(segment))
    if (of_group.count(b) != 0) bytes += most_bytes_of(program.buffer(b));
  return bytes;
}

// Returns whether siblings save enough memory traffic, because both read the same.
FusionDecision share_enough(const Program& program, const Group& group, const Segment& segment,
                            const Options& options) {
  const int64_t bytes = shared_bytes(program, group, segment), least = options.score_fusion_memory_threshold;
  if (bytes >= least) return FusionDecision::yes();
  return FusionDecision::no(
      fmt::format("both read the same {} bytes (SCORE_FUSION_MEMORY_THRESHOLD={})", bytes, least));
}

// A reduction that joins others over the same elements, which are then read from memory once.
Joining join_reduction(Program& program, const Group& group, const LoopNest& nest, const Options& options,
                       const Tuning& tuning) {
  if (nest.reduced.empty() || nest.loops.size() != group.outer.size() || nest.loops.empty())
    return refused("only pointwise siblings and reductions over equal loops can share a kernel");
  auto alignment = align_by_position(group, nest);
  if (!alignment) return refused("the loops differ");
  size_t reductions = nest.reductions.size();
  for (const Segment& s : group.segments) reductions += s.reductions.size();
  if (int64_t(reductions) > tuning.sibling_reductions) return refused("the kernel would have too many accumulators");
  Segment segment = aligned_segment(program, group, nest, *alignment);
  bool shares = std::any_of(group.segments.begin(), group.segments.end(),
                            [&](const Segment& s) { return can_share_pass(s, segment); });
  const bool any_order =
      is_position_free(segment) && std::all_of(group.segments.begin(), group.segments.end(), is_position_free);
  if (options.aggressive_fusion && any_order)
    return {FusionDecision::yes("reductions over equal loops (AGGRESSIVE_FUSION=1)"), group, std::move(segment)};
  if (!shares) return refused("the reductions read different elements");
  if (auto enough = share_enough(program, group, segment, options); !enough) return refused_by_setting(enough.reason);
  return {FusionDecision::yes("reductions over the same elements"), group, std::move(segment)};
}

}  // namespace

static bool keeps_order(const Alignment& alignment) {
  for (size_t o = 0; o < alignment.size(); o++)
    if (alignment[o] != o) return false;
  return true;
}

Joining join_consumer(Program& program, const Group& group, const LoopNest& nest, const Options& options,
                      const Tuning& tuning) {
  const bool short_row = is_short_row(group, nest, tuning), windows = !short_row && slides_windows(group);
  for (size_t count = group.outer.size() + 1; count-- > 0;) {
    if (windows && count < group.outer.size())
      return refused("the windows of the producer would be computed one by one");
    if (!may_narrow(group, nest, count, short_row, tuning)) continue;
    auto alignment = align_by_loads(group, nest, count);
    if (!alignment) continue;
    if (!options.loop_ordering_after_fusion && !keeps_order(*alignment))
      return refused_by_setting("the loops have another order (LOOP_ORDERING_AFTER_FUSION=0)");
    const bool all = count > 0 && count == group.outer.size();
    Segment segment = aligned_segment(program, group, nest, *alignment);
    if (!is_local_to_point(group, count, segment)) continue;
    return {FusionDecision::yes(all ? "the same points" : "rows are kept in cache"), narrowed(program, group, count),
            std::move(segment)};
  }
  return refused("the reader needs more than one point of the producer, or has different loops");
}

Joining join_sibling(Program& program, const Group& group, const LoopNest& nest, const Options& options,
                     const Tuning& tuning) {
  bool pointwise = nest.reduced.empty();
  for (const Segment& s : group.segments) pointwise &= s.reduced.empty() && s.loops.empty();
  if (!pointwise) return join_reduction(program, group, nest, options, tuning);
  auto alignment = align_by_position(group, nest);
  if (!alignment) return refused("the loops differ");
  Segment segment = aligned_segment(program, group, nest, *alignment);
  if (!options.combo_kernels && !options.aggressive_fusion)
    if (auto enough = share_enough(program, group, segment, options); !enough)
      return refused_by_setting(enough.reason + ", and COMBO_KERNELS is 0");
  return {FusionDecision::yes("siblings over equal loops"), group, std::move(segment)};
}

}  // namespace cppgen::schedule
