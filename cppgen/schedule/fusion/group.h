#pragma once
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// A group holds the statements that become one kernel: nests with common outer loops, in order.
struct Group {
  std::vector<int> statements;  // positions in the program, ascending
  std::vector<ir::Loop> outer;
  std::vector<Segment> segments;  // one per statement
  bool closed = false;            // contractions, library calls and attentions stay alone
  int attention = -1;             // which one
};

// Divides the program's statements into groups, in an order in which they can run. Reductions are grouped with their
// pointwise neighbours, so that softmax and normalisations are one kernel, and siblings over equal loops with each
// other (horizontal fusion, at most max_horizontal_fusion_size). The statements of an attention, in ascending order,
// are one group in the place of the last of them.
using StatementLists = std::vector<std::vector<int>>;
std::vector<Group> group_statements(const ir::Program&, const StatementLists& attentions, const Options&, DecisionLog&);

}  // namespace cppgen::schedule
