#pragma once
#include <cstdint>
#include <vector>

#include "runtime/library/library.h"
#include "runtime/plan/calls/xsmm.h"

namespace cppgen::rt {

// The checked parameters of an xsmm.contraction.
struct XsmmProblem : XsmmCall<int64_t> {
  std::vector<int64_t> tap_offsets;  // of the left operand, in elements

  int64_t tap_count() const { return int64_t(tap_offsets.size()); }
  int64_t outer_points() const;
  int64_t panels() const;
  int64_t batch_elements() const;  // of the panels of one batch
};

// UserError if the parameters contradict each other, or a buffer (left operand, panels, output) is too small.
XsmmProblem read_xsmm_problem(const BoundCall&);

}  // namespace cppgen::rt
