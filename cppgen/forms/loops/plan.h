#pragma once
#include <optional>
#include <vector>

#include "cppgen/forms/form.h"

namespace cppgen::forms {

// A memory location that is prefetched before it is read or written.
struct Prefetch {
  BufferId buffer;
  IndexExpr offset;
  bool written = false;
};

// A sequential float32 sum of many terms loses digits: each addition rounds in proportion to the sum so far, and a sum
// of ones stops growing at 2^24. If an accumulator may get more than 2 * most_terms terms, a reduced loop is run
// in parts; after a part, accumulators of at least most_terms are added to totals in float64. Sums of fewer terms are
// not affected.
//
// With a = 3 * most_terms and lanes * accumulators = n, the error of a sum is at most (a + log2(n) + 2) * 2^-24 times
// the sum of the absolute values of its terms, however many there are.
struct SumParts {
  size_t loop;         // the reduced loop that is run in parts
  int64_t steps;       // of one part
  int64_t most_terms;  // of an accumulator, after which it is added to the total; a part has at most twice as many
  // The terms that an accumulator gets in `n` steps: n * terms, or n / spread + more if steps are spread over lanes.
  int64_t terms = 1, spread = 1, more = 0;
};

struct SegmentPlan {
  std::optional<SumParts> sum_parts;
  std::vector<bool> has_total;  // by reduction: whether it is computed in parts
  std::vector<Prefetch> prefetches;
};

// Common to the kernels of plain loops.
struct LoopsPlan : FormPlan {
  std::vector<int64_t> scratch_offsets;  // offsets of the kernel's locals, in bytes; only rows are in scratch memory
  std::vector<SegmentPlan> segments;

  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;

 protected:
  virtual LoopCosts costs() const { return {}; }
};

// Adds rows in scratch memory and the parts of sums to the plan. The innermost reduced loop is spread over so many
// accumulators of so many lanes.
void plan_locals(const KernelView&, LoopsPlan&, IndexExpr& scratch_bytes);
void plan_sums(const KernelView&, LoopsPlan&, int64_t accumulators = 1, int64_t lanes = 1);

}  // namespace cppgen::forms
