#pragma once
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/schedule/decision.h"
#include "cppgen/schedule/kernel.h"
#include "cppgen/schedule/options.h"

namespace cppgen::schedule {

// Statements of a program that become one kernel: nests brought to common outer loops, in order.
struct Group {
  std::vector<int> statements;  // positions in the program, ascending
  std::vector<ir::Loop> outer;
  std::vector<Segment> segments;  // one per statement
  bool closed = false;            // contractions, library calls and attentions stay alone
  int attention = -1;             // which one
};

// Partitions the program's statements into groups, in an order in which they can run: reductions with their pointwise
// neighbours (softmax, normalisations), siblings over equal loops (horizontal, at most max_horizontal_fusion_size). The
// statements of each attention, ascending, are one group in the place of the last.
using StatementLists = std::vector<std::vector<int>>;
std::vector<Group> group_statements(const ir::Program&, const StatementLists& attentions, const Options&, DecisionLog&);

}  // namespace cppgen::schedule
