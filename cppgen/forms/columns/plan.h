#pragma once
#include "cppgen/forms/loops/plan.h"

namespace cppgen::schedule {
struct Segment;
}

namespace cppgen::forms {

// Lanes are points of the last outer loop.
struct ColumnsPlan : LoopsPlan {
  int64_t block = 1;    // points of the last loop in one unit
  int64_t vectors = 1;  // number of vectors side by side, each with its own accumulators
  int64_t chains = 1;   // vectors of a pointwise kernel whose long chains of operations overlap
  int64_t unroll = 1;   // number of vectors side by side for which code is repeated
  // Full vectors after the last group of chains are masked like the tail, so that the long body is compiled twice, not
  // three times.
  bool masks_full_vectors = false;
  int64_t interleaved = 1;  // points of the loop before the last one, whose results lie side by side

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

// ", 4 vectors side by side" if there are several; otherwise nothing.
std::string side_by_side(int64_t count, const char* what);

// The loads of the innermost reduced loop of a segment of columns whose addresses are far apart.
std::vector<Prefetch> prefetch_far_rows(const KernelView&, const schedule::Segment&);
// Plans the units of columns and windows: the last loop is divided into blocks, and each point of all loops except the
// last `inner_loops` has units of its own.
void plan_column_units(const KernelView&, int64_t block, size_t inner_loops, KernelPlan&);

}  // namespace cppgen::forms
