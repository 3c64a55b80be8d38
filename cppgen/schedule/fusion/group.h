#pragma once
#include <vector>

#include "cppgen/ir/program/program.h"
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

}  // namespace cppgen::schedule
