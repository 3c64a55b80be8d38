#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace cppgen::rt {

// The parameters of an xsmm.contraction, checked.
struct XsmmProblem {
  struct Outer {
    int64_t extent, left, batch, out;
  };
  int64_t rows, columns, depth, left_start, left_row, out_row;
  std::vector<Outer> outer;
  std::vector<int64_t> tap_offsets;  // of the left operand, in elements

  int64_t taps() const { return int64_t(tap_offsets.size()); }
  int64_t outer_points() const;
  int64_t panels() const;
  int64_t batch_elements() const;  // of the panels of one batch
};

// UserError if the parameters contradict each other, or a buffer (left operand, panels, output; in bytes) is too small.
XsmmProblem read_xsmm_problem(std::span<const int64_t> params, std::span<const int64_t> bytes);

}  // namespace cppgen::rt
