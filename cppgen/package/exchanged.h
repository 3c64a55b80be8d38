#pragma once
#include <vector>

#include "cppgen/ir/program.h"
#include "cppgen/kernel/plan.h"

namespace cppgen::package {

// Estimates how many bytes each step accesses that caches of other threads hold, for predictions of its time. Threads
// divide the rows of a tensor, or its columns where the panels of a contraction exceed a cache.
class ExchangedBytes {
 public:
  explicit ExchangedBytes(const ir::Program& program) : program_(program) {}

  // The next step. `left`: the operand of a contraction whose threads divide columns, each of which reads all of it; -1
  // for all other steps.
  void add(std::vector<ir::BufferId> inputs, std::vector<ir::BufferId> outputs, ir::BufferId left);
  std::vector<ir::IndexExpr> of_steps() const;

 private:
  struct Step {
    std::vector<ir::BufferId> inputs, outputs;
    ir::BufferId left;
    bool divides_columns() const { return left >= 0; }
  };
  const ir::Program& program_;
  std::vector<Step> steps_;

  ir::IndexExpr bytes(ir::BufferId) const;
};

// Whether threads divide the columns of a contraction.
bool divides_columns(const kernel::KernelPlan&);

}  // namespace cppgen::package
