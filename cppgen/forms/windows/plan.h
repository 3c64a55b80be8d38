#pragma once
#include "cppgen/forms/columns/plan.h"

namespace cppgen::forms {

// Columns in which neighbouring points of the loop before the last one share operands: depthwise convolutions and
// poolings over channels-last images. `vectors` is the number of these points.
struct WindowsPlan : ColumnsPlan {
  struct Inside {
    IndexExpr least, lo, greatest, hi;  // of a window at one point of the loop
  };
  // The condition that no window crosses the border: lo <= least at the first point, greatest < hi at the last. Null if
  // unknown.
  std::optional<std::vector<Inside>> inside;

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;

 protected:
  LoopCosts costs() const override { return {.neighbours_share = true}; }
};

}  // namespace cppgen::forms
