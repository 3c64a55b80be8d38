#pragma once
#include <string>
#include <vector>

#include "cppgen/schedule/kernel.h"

namespace cppgen::schedule {

// Reports the result of the layout plan: the layouts of buffers in memory, and what is still moved in each run.
struct LayoutReport {
  // Temporaries of one rank with the same order, from the slowest to the fastest dimension.
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
    std::vector<std::string> from, to;  // nodes that compute the moved tensor, and nodes that read it afterwards
    std::string reason;
    IndexExpr bytes = 0;  // read and written, per run
  };
  std::vector<Order> orders;  // by rank, the most frequent first
  std::vector<Gap> gaps;
  std::vector<Movement> movements;  // in the order of the program
};

LayoutReport layout_report(const Schedule&);

// The order in which dimensions are stored, from the slowest to the fastest, as people read it: "channels-last (0 2 3
// 1)".
std::string order_text(const std::vector<int>& order);

}  // namespace cppgen::schedule
