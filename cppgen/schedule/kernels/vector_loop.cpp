#include "cppgen/schedule/kernels/vector_loop.h"

#include <algorithm>
#include <cmath>

namespace cppgen::schedule {

using ir::Loop;

bool is_value_local(const FusedKernel& kernel, ir::BufferId b) {
  return std::any_of(kernel.locals.begin(), kernel.locals.end(),
                     [&](const Local& l) { return l.buffer == b && l.place == Place::value; });
}

Contiguity contiguity(const FusedKernel& kernel, const std::vector<Access>& accesses, const Loop& loop) {
  Contiguity c;
  for (const Access& a : accesses) {
    if (is_value_local(kernel, a.buffer) || !ir::depends_on(a.offset, loop.var.node())) continue;
    auto s = ir::stride_of(a.offset, loop.var.node());
    (s && moves_by_one_or_none(*s) ? c.unit : s && s->is_constant(2) && a.load ? c.every_other : c.other)++;
  }
  return c;
}

bool has_inner_loops(const FusedKernel& kernel) {
  return std::any_of(kernel.segments.begin(), kernel.segments.end(),
                     [](const Segment& s) { return !s.loops.empty() || !s.reduced.empty(); });
}

bool has_arg_reduction(const Segment& s) {
  return std::any_of(s.reductions.begin(), s.reductions.end(), [](const auto& r) { return ir::gives_position(r.op); });
}

namespace {

double points_of(const Loop& loop, double unknown) {
  return loop.extent.is_constant() ? double(loop.extent.constant()) : std::min(unknown, double(loop.extent.range().hi));
}

double vectors_of(const Loop& loop, double unknown, const Tuning& tuning) {
  return std::ceil(points_of(loop, unknown) / tuning.widest_lanes);
}

// The ratio of all lanes to used lanes.
double idle_lanes(const Loop& loop, const Tuning& tuning) {
  const double lanes = tuning.widest_lanes, points = points_of(loop, lanes);
  return points > 0 ? vectors_of(loop, lanes, tuning) * lanes / points : 1;
}

// The cost of elements, relative to that of contiguous elements.
double time_along(IndexExpr offset, const Loop& lanes, const Tuning& tuning) {
  if (const auto stride = ir::stride_of(offset, lanes.var.node()))
    return moves_by_one_or_none(*stride) ? 1 : tuning.apart_time;
  const auto repeated = repeated_elements(offset, lanes.var.node());
  return repeated && repeated->step <= repeated->lanes ? tuning.repeated_time : tuning.uneven_time;
}

// The cost of a point of all inner loops if this outer loop's points are lanes, in accesses of a full vector.
double time_of_last(const FusedKernel& kernel, const std::vector<Access>& accesses, const Loop& last,
                    const Tuning& tuning) {
  double time = 1;
  for (const Access& a : accesses) {
    if (is_value_local(kernel, a.buffer) || !ir::depends_on(a.offset, last.var.node())) continue;
    double times = 1;
    for (const Segment& s : kernel.segments)
      for (const auto* loops : {&s.loops, &s.reduced})
        for (const Loop& l : *loops)
          if (ir::depends_on(a.offset, l.var.node())) times *= points_of(l, tuning.widest_lanes);
    time += times * time_along(a.offset, last, tuning);
  }
  return idle_lanes(last, tuning) * time;
}

bool loads_unevenly(const std::vector<Access>& accesses, const Loop& loop) {
  return std::any_of(accesses.begin(), accesses.end(), [&](const Access& a) {
    return a.load && ir::depends_on(a.offset, loop.var.node()) && !ir::stride_of(a.offset, loop.var.node());
  });
}

// The cost of an innermost point whose accesses have these strides, in accesses of a full vector.
double time_of_point(const Contiguity& c, const Loop& lanes, const Tuning& tuning) {
  return idle_lanes(lanes, tuning) *
         (1 + double(c.unit) + tuning.every_other_time * double(c.every_other) + tuning.apart_time * double(c.other));
}

// If the innermost loop of a segment is vectorised, a reduction ends with one over the lanes.
double time_over_lanes(const Segment& s, const Loop& lanes, const Tuning& tuning) {
  if (s.reduced.empty()) return 0;
  double vectors = vectors_of(lanes, tuning.unknown_points, tuning);
  for (const Loop& l : s.reduced)
    if (l.var.node() != lanes.var.node()) vectors *= points_of(l, tuning.unknown_points);
  return tuning.over_lanes_time / std::max(1.0, vectors);
}

}  // namespace

void choose_last_loop(const std::vector<Access>& accesses, const Tuning& tuning, FusedKernel& kernel) {
  if (kernel.outer.size() < 2 || !loads_unevenly(accesses, kernel.outer.back())) return;
  double best = tuning.worth_moving * time_of_last(kernel, accesses, kernel.outer.back(), tuning);
  size_t last = kernel.outer.size() - 1;
  for (size_t i = 0; i + 1 < kernel.outer.size(); i++)
    if (const double time = time_of_last(kernel, accesses, kernel.outer[i], tuning); time < best) best = time, last = i;
  std::rotate(kernel.outer.begin() + long(last), kernel.outer.begin() + long(last) + 1, kernel.outer.end());
}

// Accesses that move with the innermost loops are counted: all others are rare.
void choose_vector_loop(const std::vector<Access>& accesses, const Tuning& tuning, FusedKernel& kernel) {
  kernel.vector_outer = true;
  if (kernel.outer.empty()) {
    kernel.vector_outer = false;
    return;
  }
  if (!has_inner_loops(kernel)) return;
  double outer = 0, inner = 0;
  for (const Segment& s : kernel.segments) {
    const auto& loops = s.reduced.empty() ? s.loops : s.reduced;
    if (loops.empty()) continue;
    std::vector<Access> often;
    for (const Access& a : accesses)
      if (std::any_of(loops.begin(), loops.end(),
                      [&](const Loop& l) { return ir::depends_on(a.offset, l.var.node()); }))
        often.push_back(a);
    outer += time_of_point(contiguity(kernel, often, kernel.outer.back()), kernel.outer.back(), tuning);
    inner += time_of_point(contiguity(kernel, often, loops.back()), loops.back(), tuning) +
             time_over_lanes(s, loops.back(), tuning);
    if (has_arg_reduction(s)) inner += tuning.position_time;
  }
  kernel.vector_outer = outer <= inner;
}

}  // namespace cppgen::schedule
