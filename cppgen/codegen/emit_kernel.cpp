#include "cppgen/codegen/attention_writer.h"
#include "cppgen/codegen/kernel_text.h"
#include "cppgen/codegen/loops_writer.h"
#include "cppgen/codegen/tile_writer.h"

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
AttentionWriter writer(const kernel::KernelView& v, const kernel::AttentionPlan& p, const Options& o) {
  return {v, p, o};
}

}  // namespace

KernelText emit_kernel(const kernel::KernelView& view, kernel::KernelPlan plan, const Options& options) {
  KernelText text = std::visit([&](const auto& form) { return writer(view, form, options).write(plan); }, plan.form);
  text.plan = std::move(plan);
  return text;
}

}  // namespace cppgen::codegen
