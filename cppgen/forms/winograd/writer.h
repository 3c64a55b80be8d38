#pragma once
#include "cppgen/forms/contraction/writer.h"
#include "cppgen/forms/winograd/plan.h"
#include "cppgen/kernel/view.h"
#include "runtime/contraction/winograd.h"

namespace cppgen::forms {

// The inputs of the patches of images or sequences.
struct PatchInputs {
  rt::winograd::Form form;
  std::vector<ir::Loop> patches;  // the last ones are those along the directions of an image, or of a sequence
  ir::Loop dy, dx;                // the points of a patch
  ir::Expr load;
  ir::IndexMap at_point;  // the first channel, and variables of the load that depend on these loops
};

// Common to the kernels that transform patches of inputs for Winograd's algorithm (runtime/contraction/winograd.h).
class PatchWriter : public ContractionWriter {
 protected:
  PatchWriter(const KernelView&, const Options&, PatchInputs);

  // Declares what the statements below use, for at most so many channels of a patch.
  void declare_transforms(int64_t channels);
  // Declares the position of a patch among the patches of its image.
  void decompose_patch(const Code& number);
  void declare_points();
  // Fills `points` with the addresses of the points of that patch; points outside of the image are padding.
  void write_points();
  // Transforms so many channels of these points.
  void write_transform(const Code& channels, const Code& to, const Code& plane);
  const Code& transforms() const { return transforms_; }

 private:
  const PatchInputs inputs_;
  const Code transforms_ = Code::name("transforms");

  Code point_address();
};

// Convolutions by Winograd's algorithm (runtime/contraction/winograd.h). The transforms and the products are functions
// of the runtime; the epilogue runs on the results of each patch, which are in the first-level cache. A patch whose
// results are not all finite is computed again, directly.
class WinogradWriter : public PatchWriter {
 public:
  WinogradWriter(const KernelView&, const WinogradPlan&, const Options&);

 private:
  // Over the patches of an image, and the first groups of channels of units.
  struct Loops {
    ir::Loop down, across, first_batch;
  };

  const WinogradPlan& plan_;
  const schedule::TileContraction& contraction_;
  const rt::winograd::Form form_;
  const Loops loops_;

  WinogradWriter(const KernelView&, const WinogradPlan&, const Options&, const Loops&);
  static PatchInputs inputs_of(const KernelView&, const WinogradPlan&, const Loops&);
  const ir::Loop* lines() const;
  void write_body() override;
  void declare_scratch();
  void declare_unit();
  bool are_transformed() const;
  bool in_groups() const;
  Code group_offset();
  Code panels_of_group();
  void write_panels(const Code& first, const Code& end);
  Code patch_number();
  void write_find_points();
  void write_inputs();
  Code panel_sums();
  void open_panels();
  void write_products();
  void write_results();
  void write_direct();
  void write_epilogue();
};

}  // namespace cppgen::forms
