#pragma once
#include <vector>

#include "cppgen/ir/program/program.h"
#include "cppgen/schedule/costs.h"

namespace cppgen::package {

// Estimates how many bytes each step accesses that caches of other threads hold, for predictions of its time. Threads
// divide the rows of a tensor, or its columns where the panels of a contraction exceed a cache.
class ExchangedBytes {
 public:
  ExchangedBytes(const ir::Program& program, const schedule::Costs& costs) : program_(program), costs_(costs) {}

  struct Step {
    std::vector<ir::BufferId> inputs, outputs;
    ir::BufferId read_by_all = -1;     // see kernel::KernelPlan
    bool reads_parts_of_rows = false;  // see kernel::KernelPlan

    bool divides_columns() const { return read_by_all >= 0; }
  };

  void add(Step next) { steps_.push_back(std::move(next)); }
  std::vector<ir::IndexExpr> of_steps() const;

 private:
  const ir::Program& program_;
  const schedule::Costs& costs_;
  std::vector<Step> steps_;

  ir::IndexExpr bytes(ir::BufferId) const;
  int64_t tenths_read(const Step&, ir::BufferId, bool columns) const;
};

}  // namespace cppgen::package
