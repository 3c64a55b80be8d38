#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "cppgen/ir/index/index_expr.h"
#include "cppgen/ir/program/program.h"

namespace cppgen::package {

// The values that the nests of a program, which are added in order, store in each buffer of integers. Stores of
// reductions count as unknown.
class IntegerValues {
 public:
  explicit IntegerValues(const ir::Program& program) : program_(program) {}

  void add(const ir::LoopNest&);

  // The values that an integer expression may have if each integer input of the program is from 0 to `extent` - 1, as
  // an interval; unbounded where it is unknown.
  ir::IndexRange range(ir::Expr, int64_t extent) const;

 private:
  class Evaluation;
  const ir::Program& program_;
  std::map<ir::BufferId, std::vector<ir::Expr>> stored_;  // null: unknown
};

}  // namespace cppgen::package
