#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Reports what the layout plan came to: how those buffers lie that kernels keep in memory, and what is still moved at
// each run.
struct LayoutReport {
  // Temporaries of one rank that lie in the same order, from the slowest to the fastest dimension.
  struct Order {
    std::vector<int> order;
    std::vector<std::string> tensors;
  };
  struct Gap {
    std::string tensor;
    int64_t bytes;  // after each row
  };
  struct Movement {
    std::string kind;  // "layout", "padding", "packing" of DecisionLog::Copy; "node" for movements that the model says
    std::string tensor;
    std::vector<std::string> from, to;  // nodes that compute what is moved, and that read it then
    std::string reason;
    IndexExpr bytes = 0;  // read and written, per run
  };
  std::vector<Order> orders;  // by rank, the most frequent first
  std::vector<Gap> gaps;
  std::vector<Movement> movements;  // in the order of the program
};

LayoutReport layout_report(const Schedule&);

}  // namespace cppgen::schedule
