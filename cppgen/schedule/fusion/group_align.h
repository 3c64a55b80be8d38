#pragma once
#include <optional>
#include <vector>

#include "cppgen/schedule/fusion/group.h"
#include "cppgen/schedule/uses.h"

// These functions say how the loops of a nest line up with the outer loops of a group that it may join.
namespace cppgen::schedule {

// Holds, for each of a group's first outer loops, the position of the nest's loop that runs over the same points.
using Alignment = std::vector<size_t>;

// The nest without loops of extent 1. A reduction over one point stays a reduction: kernels tell one by its reduced
// loops.
LoopNest without_trivial_loops(Program&, const LoopNest&);

// The nest's loops in order, if they have the extents of all outer loops of the group.
std::optional<Alignment> align_by_position(const Group&, const LoopNest&);

// A nest that reads what the group stores must read it at the same outer point: the loop variables in the indices of
// its loads say which loop is which of the first `outer_count` outer loops. Nullopt if none or two are one, or the
// extents differ.
std::optional<Alignment> align_by_loads(const Group&, const LoopNest&, size_t outer_count);

// The nest without its first `outer_count` loops.
Segment segment_of(const LoopNest&, size_t outer_count);
// The nest as a segment over the group's first alignment.size() outer loops.
Segment aligned_segment(Program&, const Group&, const LoopNest&, const Alignment&);

// Returns whether each load of what the group stores is at the outer point (of the first `outer_count` loops) that
// stored it.
bool is_local_to_point(const Group&, size_t outer_count, const Segment&);

// The group with only its first `count` outer loops: the others go into the segments, each with variables of its own,
// as later stages change the loops of one segment alone.
Group narrowed(Program&, const Group&, size_t count);

}  // namespace cppgen::schedule
