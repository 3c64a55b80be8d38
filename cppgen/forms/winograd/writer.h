#pragma once
#include "cppgen/forms/contraction/writer.h"
#include "cppgen/forms/winograd/plan.h"
#include "cppgen/kernel/view.h"

namespace cppgen::forms {

// Convolutions by Winograd's algorithm (runtime/contraction/winograd.h). The transforms and the products are functions
// of the runtime; the epilogue runs on the results of each patch, which are in the first-level cache. A patch whose
// results are not all finite is computed again, directly.
class WinogradWriter : public ContractionWriter {
 public:
  WinogradWriter(const KernelView&, const WinogradPlan&, const Options&);

 private:
  const WinogradPlan& plan_;
  const schedule::TileContraction& contraction_;
  const rt::winograd::Form form_;
  const int64_t window_down_, window_across_;  // inputs of a patch along each direction
  const ir::Loop down_, across_;               // patches of an image
  const ir::Loop first_batch_;                 // the first group of channels of a unit
  const ir::Loop line_, position_;             // points of the patches of inputs, from the first one of the image

  int64_t window_along(int64_t side) const;
  int64_t step_along(int64_t side) const;
  IndexExpr inputs_along(IndexExpr patches, int64_t side) const;
  const ir::Loop* lines() const;
  void write_body() override;
  void declare_scratch();
  void declare_unit();
  bool in_groups() const;
  Code group_offset();
  Code panels_of_group();
  void write_panels(const Code& first, const Code& end);
  void decompose_patch();
  void write_points();
  Code point_address();
  void write_inputs();
  Code panel_sums();
  void open_panels();
  void write_products();
  void write_results();
  void write_direct();
  void write_epilogue();
};

}  // namespace cppgen::forms
