#include "cppgen/codegen/attention_writer.h"
#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/tile_writer.h"
#include "cppgen/codegen/winograd_writer.h"

namespace cppgen::codegen {
namespace {

// The writer of each form.
RowsWriter writer(const kernel::KernelView& v, const kernel::RowsPlan& p, const Options& o) { return {v, p, o}; }
ColumnsWriter writer(const kernel::KernelView& v, const kernel::ColumnsPlan& p, const Options& o) { return {v, p, o}; }
WindowsWriter writer(const kernel::KernelView& v, const kernel::WindowsPlan& p, const Options& o) { return {v, p, o}; }
TransposedWriter writer(const kernel::KernelView& v, const kernel::TransposedPlan& p, const Options& o) {
  return {v, p, o};
}
TileWriter writer(const kernel::KernelView& v, const kernel::TilesPlan& p, const Options& o) { return {v, p, o}; }
WinogradWriter writer(const kernel::KernelView& v, const kernel::WinogradPlan& p, const Options& o) {
  return {v, p, o};
}
AttentionWriter writer(const kernel::KernelView& v, const kernel::AttentionPlan& p, const Options& o) {
  return {v, p, o};
}

}  // namespace

KernelText emit_kernel(const kernel::KernelView& view, kernel::KernelPlan plan, const Options& options) {
  KernelText text = std::visit([&](const auto& form) { return writer(view, form, options).write(plan); }, plan.form);
  text.plan = std::move(plan);
  return text;
}

std::vector<KernelText> emit_kernels(const schedule::Schedule& schedule, const schedule::Target& target,
                                     const Options& options) {
  std::vector<KernelText> kernels;
  schedule::each_kernel(schedule.steps, [&](const schedule::FusedKernel& kernel) {
    const kernel::KernelView view{schedule, kernel, target};
    kernels.push_back(emit_kernel(view, kernel::plan_kernel(view), options));
  });
  return kernels;
}

}  // namespace cppgen::codegen
