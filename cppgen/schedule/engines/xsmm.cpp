#include "cppgen/schedule/engines/xsmm.h"

#include <fmt/format.h>

#include <algorithm>

#include "cppgen/schedule/engines/engine_list.h"
#include "cppgen/schedule/engines/external_kernel.h"
#include "cppgen/schedule/engines/tiles.h"
#include "runtime/plan/calls/xsmm.h"
#include "runtime/plugins/plugins.h"

namespace cppgen::schedule {
namespace {

using ir::Loop;

// The left operand with its padding inside the buffer: reads of dimension d start `before[d]` elements earlier.
struct PaddedOperand {
  ir::Buffer buffer;  // of the shape with padding; its id is the original's
  std::vector<int64_t> before;
  std::vector<IndexExpr> indices;
  std::string refusal;  // if not empty: why it has no such form
};

PaddedOperand padded_operand(const Program& program, Expr left) {
  PaddedOperand p{program.buffer(left->buffer), std::vector<int64_t>(left->indices.size(), 0), left->indices, ""};
  for (const ir::Guard& guard : left->guards) {
    const auto at = std::find(left->indices.begin(), left->indices.end(), guard.index);
    const auto d = size_t(at - left->indices.begin());
    if (at == left->indices.end() || !guard.lo.is_constant(0) || !ir::prove_equal(guard.hi, p.buffer.shape[d])) {
      p.refusal = "the padding is not around a dimension";
      return p;
    }
    const ir::IndexRange range = guard.index.range();
    if (!p.buffer.shape[d].is_constant() || range.lo == -ir::kUnbounded || range.hi == ir::kUnbounded) {
      p.refusal = "a dimension whose padding is not constant";
      return p;
    }
    const int64_t before = std::max<int64_t>(0, -range.lo);
    const int64_t after = std::max<int64_t>(0, range.hi + 1 - guard.hi.constant());
    if (p.before[d] > 0 || !p.buffer.shape[d].is_constant(guard.hi.constant())) continue;  // this guard was seen before
    p.before[d] = before;
    p.buffer.shape[d] = guard.hi + (before + after);
    p.indices[d] = guard.index + before;
  }
  return p;
}

// The order of the sums: images with groups as [rows..., groups, columns], products as [batch..., rows..., columns].
std::vector<Loop> output_order(const ContractionView& v) {
  const bool image = v.k.size() > 1;
  std::vector<Loop> order = image ? v.rows : v.batch;
  const auto& middle = image ? v.batch : v.rows;
  order.insert(order.end(), middle.begin(), middle.end());
  order.push_back(v.columns[0]);
  return order;
}

// The distance in elements between successive points of a loop in a dense buffer over `order`.
IndexExpr dense_stride(const std::vector<Loop>& order, const Loop& loop) {
  IndexExpr stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (order[i].var == loop.var) return stride;
    stride = stride * order[i].extent;
  }
  return stride;
}

using Call = rt::XsmmCall<IndexExpr>;

constexpr int kLeastLanes = 8;  // of the narrowest vectors that libxsmm uses, those of AVX2

// The call of the runtime's function, or the reason why there is none.
struct Form {
  std::optional<Call> call;
  std::string refusal;
};

// A stride that is known not to be negative; nullopt otherwise.
std::optional<IndexExpr> forward_stride(IndexExpr offset, const Loop& loop) {
  if (loop.extent.is_constant(1)) return IndexExpr(int64_t{0});
  auto stride = ir::stride_of(offset, loop.var.node());
  return stride && stride->range().lo >= 0 ? stride : std::nullopt;
}

// The rows that are one loop of evenly spaced rows, both in the left operand and in the output: from this position on.
size_t first_inner_row(IndexExpr left, const ContractionView& v) {
  size_t first = v.rows.size();
  while (first > 0) {
    const std::vector<Loop> rows(v.rows.begin() + long(first) - 1, v.rows.end());
    const auto stride = joint_stride(left, rows);
    if (!stride || stride->range().lo < 0) break;
    if (!points(rows).is_constant(1) && !ir::prove_less_equal(v.k.back().extent, *stride)) break;
    first--;
  }
  return first;
}

// `left` is the offset of the left operand, `batch` the number of the batch of panels.
Form xsmm_form(IndexExpr left, IndexExpr batch, const ContractionView& v) {
  const size_t first = first_inner_row(left, v);
  const std::vector<Loop> order = output_order(v), inner(v.rows.begin() + long(first), v.rows.end());
  if (first > 0 && first == v.rows.size() && !v.rows.empty())
    return {{}, "rows of the left operand overlap or are not evenly spaced"};
  std::vector<Loop> outer = v.batch;
  outer.insert(outer.end(), v.rows.begin(), v.rows.begin() + long(first));
  const IndexExpr start = start_of(left);
  if (outer.size() > rt::kXsmmMostOuterLoops || v.k.size() > rt::kXsmmMostTapLoops + 1)
    return {{}, "there are too many loops"};
  if (start.range().lo < 0) return {{}, "the left operand starts before its buffer"};

  Call call{points(inner), v.columns[0].extent, v.k.back().extent, start};
  call.left_row = inner.empty() ? v.k.back().extent : *joint_stride(left, inner);
  call.out_row = inner.empty() ? v.columns[0].extent : dense_stride(order, inner.back());
  for (const Loop& l : outer) {
    const auto stride = forward_stride(left, l), panels = forward_stride(batch, l);
    if (!stride || !panels) return {{}, "the stride of a loop in an operand may be negative"};
    call.outer.push_back({l.extent, *stride, *panels, dense_stride(order, l)});
  }
  for (size_t i = 0; i + 1 < v.k.size(); i++) {
    const auto stride = forward_stride(left, v.k[i]);
    if (!stride) return {{}, "the stride of the taps in the left operand may be negative"};
    call.taps.push_back({v.k[i].extent, *stride});
  }
  return {call, {}};
}

IndexExpr left_offset(const PaddedOperand& p, const Layouts& layouts) {
  return offset_of(p.buffer, layouts[size_t(p.buffer.id)], p.indices);
}

// Position in a mixed radix number whose digits are the batch loops' variables: all of them select panels.
IndexExpr batch_index(const ContractionView& v) {
  IndexExpr index = 0;
  for (const Loop& l : v.batch) index = index * l.extent + l.var;
  return index;
}

// padded[i] = left[i - before], the padding elsewhere; the contraction reads it without conditions.
LoopNest pad(Program& program, Layouts& layouts, LoopNest& nest, Expr left) {
  const PaddedOperand p = padded_operand(program, left);
  const Layout layout = layouts[size_t(left->buffer)];
  const std::vector<IndexExpr> extents = program.buffer(left->buffer).shape;
  const BufferId padded =
      program.add_buffer(p.buffer.name + ".padded", p.buffer.type, p.buffer.shape, ir::BufferKind::temporary);
  layouts.push_back(layout);
  LoopNest copy;
  copy.name = "pad", copy.origins = nest.origins;
  std::vector<IndexExpr> at, from;
  std::vector<ir::Guard> guards;
  for (size_t d = 0; d < extents.size(); d++) {
    at.push_back(program.index->loop("i", p.buffer.shape[d]));
    copy.loops.push_back({at[d], p.buffer.shape[d]});
    from.push_back(at[d] - p.before[d]);
    if (!(p.buffer.shape[d] == extents[d])) guards.push_back({from[d], 0, extents[d]});
  }
  Expr padding = guards.empty() ? nullptr : left->args[0];
  copy.stores.push_back({padded, at, program.exprs->load(left->buffer, p.buffer.type, from, guards, padding)});

  ir::Rewrite redirect;
  redirect.replace_load = [&](Expr load) {
    return load == left ? program.exprs->load(padded, p.buffer.type, p.indices) : nullptr;
  };
  auto& value = nest.reductions[0].value;
  value = ir::rewrite(*program.exprs, value, redirect);
  return copy;
}

Prepared prepare_xsmm(Program& program, Layouts& layouts, LoopNest nest, const Options& options, const Target& target) {
  std::vector<OperandCopy> padding;
  if (Expr left = view_of(nest)->left; !left->guards.empty())
    padding.push_back({pad(program, layouts, nest, left), "padding", "the engine requires padded images"});
  const ContractionView view = *view_of(nest);
  const Form form = xsmm_form(left_offset(padded_operand(program, view.left), layouts), batch_index(view), view);
  Prepared prepared = prepare_tiles(program, layouts, std::move(nest), rt::TileFormat::f32,
                                    {1, int(rt::kXsmmPanelColumns)}, options, target.tuning);
  prepared.copies.insert(prepared.copies.begin(), padding.begin(), padding.end());
  const BufferId raw = split_epilogue(program, layouts, output_order(view), prepared);
  LibraryStep step;
  step.function = rt::kXsmmContraction;
  step.inputs = {view.left->buffer, std::get<TileContraction>(prepared.step).packed}, step.outputs = {raw};
  step.params = rt::flat_fields<IndexExpr>(*form.call).integers, step.origins = prepared.nest.origins;
  step.flops = flops_of(view), step.products = ir::ceildiv(step.flops, 2 * int64_t(target.lanes));
  prepared.step = std::move(step);
  return prepared;
}

}  // namespace

FusionDecision xsmm_supports(const Contraction& contraction, const Options& options, const Target& target,
                             int xsmm_lanes) {
  constexpr const char* kWider = "libxsmm would use a wider ISA than the one forced";
  if (target.lanes < kLeastLanes) return FusionDecision::no(kWider);
  if (auto regular = tiles_support(contraction, rt::TileFormat::f32, options, target.tuning); !regular) return regular;
  const ContractionView& view = *contraction.view;
  const PaddedOperand operand = padded_operand(contraction.program, view.left);
  if (!operand.refusal.empty()) return FusionDecision::no(operand.refusal);
  const Form form = xsmm_form(left_offset(operand, contraction.layouts), batch_index(view), view);
  if (!form.call) return FusionDecision::no(form.refusal);
  if (xsmm_lanes == 0) return FusionDecision::no("libxsmm has no kernels for this CPU");
  return xsmm_lanes > target.lanes ? FusionDecision::no(kWider) : FusionDecision::yes();
}

Engine xsmm_engine() {
  return {"xsmm", "XSMM",
          [](const Contraction& contraction, const Options& options, const Target& target) {
            return xsmm_supports(contraction, options, target, rt::xsmm_lanes());
          },
          prepare_xsmm};
}

}  // namespace cppgen::schedule
