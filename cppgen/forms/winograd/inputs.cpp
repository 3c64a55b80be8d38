// The step that transforms the inputs of a convolution by Winograd's algorithm for all its units. A unit is a patch.
#include <fmt/format.h>

#include "cppgen/forms/contraction/contraction.h"
#include "cppgen/forms/forms.h"
#include "cppgen/forms/winograd/plan.h"
#include "cppgen/forms/winograd/writer.h"
#include "cppgen/kernel/accessed.h"
#include "cppgen/kernel/view.h"
#include "cppgen/schedule/costs.h"
#include "cppgen/schedule_text/field_printer.h"

namespace cppgen::forms {
namespace {

using schedule::TileContraction;

// [product][patch][channel]: its rows and planes are not tight.
const ir::Buffer& transformed(const KernelView& view) { return view.program().buffer(view.kernel.outputs[0]); }

// The contraction's rows are the patches, which its columns are the products of, and the channels.
PatchInputs inputs_of(const TileContraction& c) {
  return {.form = c.winograd,
          .patches = {c.rows.begin(), c.rows.end() - 1},
          .dy = c.taps[0],
          .dx = c.k,
          .load = c.left,
          .at_point = {{c.rows.back().var.node(), 0}}};
}

class WinogradInputsWriter : public PatchWriter {
 public:
  WinogradInputsWriter(const KernelView& view, const Options& options)
      : PatchWriter(view, options, inputs_of(*view.kernel.contraction)) {}

 private:
  void write_body() override {
    const IndexExpr channels = kernel_.contraction->rows.back().extent;
    const auto& shape = transformed(view_).shape;
    declare_transforms(channels.constant());
    // They have the type of their values: int, or that of parameters in functions that several kernels share.
    before_.constant("const auto", "row", "{}", index_text(shape[2]));
    before_.constant("const auto", "plane", "{}", index_text(shape[1] * shape[2]));
    decompose_patch("unit");
    declare_points();
    write_points();
    write_transform(index_text(channels), code("{} + unit * row", context_.pointers.at(kernel_.outputs[0])), "plane");
  }
};

PlannedKernel plan_inputs(const KernelView& view) {
  const TileContraction& c = *view.kernel.contraction;
  WinogradInputsPlan w;
  w.products = rt::winograd::products(c.winograd);
  w.patches = ir::points({c.rows.begin(), c.rows.end() - 1});
  PlannedKernel plan;
  plan.units = w.patches;
  plan.unit_work = w.products * c.rows.back().extent;
  plan.form = std::make_unique<WinogradInputsPlan>(std::move(w));
  return plan;
}

}  // namespace

std::string WinogradInputsPlan::describe() const {
  return fmt::format("inputs of winograd: {} products of a patch", products);
}

void WinogradInputsPlan::print(FieldPrinter& v) {
  v("products", products);
  v("patches", patches);
}

std::string WinogradInputsPlan::fault(const KernelView& view) const {
  const TileContraction& c = *view.kernel.contraction;
  if (c.winograd.side == 0 || c.winograd.flat) return "its patches are not squares";
  if (products != rt::winograd::products(c.winograd)) return fmt::format("{} products of a patch", products);
  if (c.taps.size() != 1 || c.rows.size() < 3)
    return fmt::format("patches of {} loops of rows and {} of taps", c.rows.size(), c.taps.size());
  if (view.kernel.outputs.size() != 1 || transformed(view).shape.size() != 3) return "it does not store products";
  return "";
}

KernelWork WinogradInputsPlan::work(const KernelView& view) const {
  const IndexExpr channels = view.kernel.contraction->rows.back().extent;
  Accessed accessed(view);
  accessed.add_all(view.kernel.contraction->left->buffer);
  accessed.add(view.kernel.outputs[0], products * patches * channels);
  KernelWork work;
  work.bytes = accessed.bytes();
  work.instructions =
      costs_of(view.target).winograd_element * products * patches * ir::ceildiv(channels, int64_t(view.target.lanes));
  return work;
}

KernelText WinogradInputsPlan::write(const KernelView& view, const KernelPlan& plan, const Options& options) const {
  return WinogradInputsWriter(view, options).write(plan);
}

Form winograd_inputs_form() {
  return {"winograd_inputs", [](const KernelView& view) { return is_contraction(view, "winograd_inputs"); },
          plan_inputs};
}

}  // namespace cppgen::forms
