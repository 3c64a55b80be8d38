#pragma once
#include "cppgen/forms/form.h"

namespace cppgen::forms {

// Convolutions by Winograd's algorithm. A unit is a block of patches and a group of panels of the output's channels: it
// transforms the patches of inputs, multiplies them by the panels on tiles, and transforms the sums. If channels are in
// groups that are convolved by themselves, a unit has all panels of some of these.
struct WinogradPlan : FormPlan {
  int64_t side_down = 1, side_across = 1;  // results of a patch along each direction of an image
  IndexExpr down = 1, across = 1;          // patches along each direction
  IndexExpr patches;                       // of all images
  IndexExpr blocks;                        // of patches, as even as they can be
  int64_t most_patches = 1;                // of a block
  IndexExpr panels;
  int64_t panels_per_unit = 1;
  int64_t panels_at_once = 1;  // of a unit: each product of the patches is computed with all of these before the next
  bool rows_outside = false;   // neighbouring units are different panels of the same patches
  int64_t batch_per_unit = 1;  // groups of channels in a unit
  IndexExpr groups = 1;        // units of a block of patches
  // Scratch memory, in elements: the distance between the transformed inputs of two patches, and between those, or the
  // sums, of two products. The sums of one panel after the other follow the inputs.
  int64_t input_row = 0, input_plane = 0, sums_plane = 0;

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

// The step that transforms the inputs of a convolution for all its units. A unit is a patch.
struct WinogradInputsPlan : FormPlan {
  int64_t products = 0;  // of a patch
  IndexExpr patches;     // of all images

  std::string describe() const override;
  void print(FieldPrinter&) override;
  std::string fault(const KernelView&) const override;
  KernelWork work(const KernelView&) const override;
  KernelText write(const KernelView&, const KernelPlan&, const Options&) const override;
};

}  // namespace cppgen::forms
