// Attention: one unit is a few panels of queries of one batch point; its rows are the lanes. Few rows are computed one
// at a time, with keys or features as lanes.
#include "cppgen/forms/attention/plan.h"

#include <algorithm>

#include "cppgen/forms/attention/mask.h"
#include "cppgen/forms/forms.h"
#include "runtime/contraction/long_sums.h"

namespace cppgen::forms {
namespace {

using ir::Loop;
using schedule::Attention;

OperandMatrix matrix_of(IndexExpr offset, const Loop& rows, const Loop& steps) {
  OperandMatrix m;
  m.row_stride = *ir::stride_of(offset, rows.var.node()), m.step_stride = *ir::stride_of(offset, steps.var.node());
  m.base = ir::substitute(offset, {{rows.var.node(), 0}, {steps.var.node(), 0}});
  const bool steps_contiguous = m.step_stride.is_constant(1) || steps.extent.is_constant(1);
  m.rows_contiguous = !steps_contiguous;
  return m;
}

// All keys of a short sequence, otherwise as many as keep the scores in the cache.
int64_t key_block_of(const Attention& a, const schedule::Tuning& tuning) {
  if (schedule::keys_are_one_block(a, tuning)) return std::max<int64_t>(a.keys.extent.constant(), 1);
  return tuning.key_block;
}

std::vector<AttentionPlan::TransposedLoad> loads_to_transpose(const KernelView& view) {
  const Attention& a = *view.kernel.attention;
  const ir::IndexMap at_start{{a.keys.var.node(), 0}, {a.rows.var.node(), 0}};
  std::vector<AttentionPlan::TransposedLoad> found;
  for (Expr e : ir::postorder({&a.score, 1})) {
    if (e->kind != ir::ExprKind::load || !e->guards.empty() || !e->indirects.empty()) continue;
    const IndexExpr offset = view.offset(e);
    const auto along = ir::stride_of(offset, a.keys.var.node()), across = ir::stride_of(offset, a.rows.var.node());
    if (!along || !along->is_constant(1) || !across || across->is_constant(0) || across->is_constant(1)) continue;
    found.push_back({e, ir::substitute(offset, at_start), *across, "transposed" + std::to_string(found.size())});
  }
  return found;
}

// Plans the scratch memory; returns its size in vectors of a panel's width.
IndexExpr plan_scratch(const KernelView& view, int64_t panel_width, AttentionPlan& plan) {
  const Attention& a = *view.kernel.attention;
  const int64_t most = plan.most_panels_at_once, block = plan.key_block;
  IndexExpr used = 0;
  const auto add = [&](const std::string& name, const char* shape, IndexExpr size, DType type = DType::f32) {
    plan.scratch.push_back({name, shape, used, type});
    used = used + size;
  };
  const auto is_narrow = [&](Expr load) { return view.type_of(load->buffer) != DType::f32; };
  add("queries", "[panel][head_size][width]", a.head_size.extent * most);
  add("all_sums", "[panel][column][width]", a.columns.extent * most + view.target.lanes);
  add("scores", "[key][width]", block);
  add("part", "[column][width], then [row][column]", a.columns.extent + 1);
  if (plan.group_keys) add("all_earlier", "[panel][column][width]", a.columns.extent * most + view.target.lanes);
  if (!plan.may_be_many) return used;
  for (const auto& t : plan.transposed)  // no element is larger than a double
    add(t.scratch, "[key][width]", 2 * block, view.type_of(t.load->buffer));
  const IndexExpr blocks = ir::ceildiv(block, panel_width);
  if (is_narrow(a.query)) add("wide_query", "[row][head_size]", a.head_size.extent);
  if (is_narrow(a.key)) add("wide_keys", ", in the order of the keys", a.head_size.extent * blocks);
  if (is_narrow(a.value)) add("wide_values", ", in the order of the values", a.columns.extent * blocks);
  return used;
}

PlannedKernel plan_attention(const KernelView& view) {
  const Attention& a = *view.kernel.attention;
  const auto& tuning = view.tuning();
  const int64_t nr = view.target.tiles[size_t(rt::TileFormat::f32)].nr;
  AttentionPlan attention;
  attention.key_block = key_block_of(a, tuning);
  if (const int64_t group = attention.key_block * rt::kGroupBlocks; a.keys.extent.range().hi > group)
    attention.group_keys = group;
  attention.few_rows = std::min<int64_t>(tuning.few_queries, nr);
  const ir::IndexRange count = a.rows.extent.range();
  attention.may_be_few = count.lo <= attention.few_rows, attention.may_be_many = count.hi > attention.few_rows;

  // The panels that one unit processes with each block of keys while it is in the cache; fewer for short sequences, so
  // that there are units for many threads.
  const int64_t most = tuning.query_panels;
  const IndexExpr panels = ir::ceildiv(a.rows.extent, nr);
  attention.panels_at_once = ir::max(ir::min(ir::floordiv(panels, most), most), 1);
  attention.most_panels_at_once = constant_or(attention.panels_at_once, most);

  attention.query = matrix_of(view.offset(a.query), a.rows, a.head_size);
  attention.keys = matrix_of(view.offset(a.key), a.keys, a.head_size);
  attention.values = matrix_of(view.offset(a.value), a.columns, a.keys);
  // The last keys, which some rows do not see, can be skipped if values are contiguous.
  if (attention.values.rows_contiguous || a.columns.extent.is_constant(1))
    attention.hidden = keys_seen(view.program(), a);
  if (attention.may_be_many) attention.transposed = loads_to_transpose(view);

  PlannedKernel plan;
  plan.units = ir::ceildiv(panels, attention.panels_at_once);
  for (const Loop& l : a.batch) plan.units = plan.units * l.extent;
  plan.unit_work = (a.head_size.extent + a.columns.extent) * a.keys.extent * attention.panels_at_once *
                   std::max<int64_t>(nr / tuning.products_per_element, 1);
  plan.scratch_bytes = plan_scratch(view, nr, attention) * (4 * nr);
  plan.reads_parts_of_rows = true;
  plan.form = std::make_unique<AttentionPlan>(std::move(attention));
  return plan;
}

bool fits_attention(const KernelView& view) {
  return view.kernel.attention && view.kernel.attention->form == schedule::kAttentionForm;
}

}  // namespace

Form attention_form() { return {std::string(schedule::kAttentionForm), fits_attention, plan_attention}; }

}  // namespace cppgen::forms
