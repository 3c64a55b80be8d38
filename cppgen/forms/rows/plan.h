#pragma once
#include "cppgen/forms/loops/plan.h"

namespace cppgen::forms {

// Lanes are points of each segment's innermost loop.
struct RowsPlan : LoopsPlan {
  int64_t accumulators = 1;  // of each reduction along a row

  std::string describe() const override;
  void print(FieldPrinter&) override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

}  // namespace cppgen::forms
