#include "cppgen/schedule/engines/panels.h"

#include <numeric>

#include "runtime/contraction/winograd.h"

namespace cppgen::schedule {

using ir::Loop;

namespace {

constexpr const char* kPackedEachRun = "the right operand is not constant, so it is packed into panels at run time";

std::vector<Loop> moving(Expr load, const std::vector<Loop>& loops) {
  std::vector<Loop> result;
  for (const auto& l : loops)
    if (moves_with(load, l)) result.push_back(l);
  return result;
}

// Position in a mixed radix number whose digits are the loops' variables.
IndexExpr linear(const std::vector<Loop>& loops) {
  IndexExpr index = 0;
  for (const auto& l : loops) index = index * l.extent + l.var;
  return index;
}

}  // namespace

std::vector<int64_t> offsets_of(const std::vector<Loop>& loops, IndexExpr offset, int64_t first) {
  std::vector<int64_t> offsets = {first};
  for (const Loop& l : loops) {
    const int64_t stride = ir::stride_of(offset, l.var.node())->constant();
    std::vector<int64_t> next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < l.extent.constant(); i++) next.push_back(base + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

namespace {

PackedConstant pack_constant(const Program& program, const TileContraction& c, const std::vector<Loop>& batch) {
  PackedConstant p;
  p.source = c.right->buffer, p.packed = c.packed, p.format = c.format, p.width = c.shape.nr;
  IndexExpr offset =
      offset_of(program.buffer(p.source), row_major(program.buffer(p.source).shape.size()), c.right->indices);
  auto stride = [&](const Loop& l) { return ir::stride_of(offset, l.var.node())->constant(); };
  p.columns = c.columns.extent, p.column_stride = stride(c.columns);
  p.k = c.k.extent, p.k_stride = stride(c.k);
  p.batch_offsets = offsets_of(batch, offset, ir::evaluate(offset, [](const auto&) { return 0; }));
  p.tap_offsets = offsets_of(c.taps, offset, 0);
  p.winograd = c.winograd;
  return p;
}

// All slices of the panels.
IndexExpr slices_of(const TileContraction& c) {
  return ir::ceildiv(c.columns.extent, c.shape.nr) * int64_t(c.shape.nr / rt::slice_columns(c.format, c.shape.nr));
}

// packed[batch, slice, tap, k / group, column, k % group] = right, 0 beyond the last column and K.
class PackingNest {
 public:
  PackingNest(Program& program, const TileContraction& c) : program_(program) {
    nest_.name = "pack";
    for (const Loop& l : moving(c.right, c.batch)) at_batch_ = at_batch_ * l.extent + replaced("b", l);
    slice_ = loop("p", slices_of(c));
    for (const Loop& l : c.taps) at_tap_ = at_tap_ * l.extent + replaced("t", l);
    const int64_t group = info(c.format).k_group;
    IndexExpr step = loop("k", ir::ceildiv(c.k.extent, group));
    const int64_t width = rt::slice_columns(c.format, c.shape.nr);
    IndexExpr j = loop("j", width);
    IndexExpr in_group = group == 1 ? IndexExpr(int64_t{0}) : loop("g", group);
    guarded(c.k, step * group + in_group);
    guarded(c.columns, slice_ * width + j);
    store(c.right, c.packed, {at_batch_, slice_, at_tap_, step, j, in_group});
  }
  LoopNest take() { return std::move(nest_); }

 private:
  Program& program_;
  LoopNest nest_;
  ir::IndexMap map_;
  std::vector<ir::Guard> guards_;
  IndexExpr at_batch_ = 0, at_tap_ = 0, slice_;

  IndexExpr loop(const char* prefix, IndexExpr extent) {
    IndexExpr var = program_.index->loop(prefix, extent);
    nest_.loops.push_back({var, extent});
    return var;
  }
  IndexExpr replaced(const char* prefix, const Loop& l) { return map_[l.var.node()] = loop(prefix, l.extent); }
  void guarded(const Loop& l, IndexExpr index) {
    map_[l.var.node()] = index;
    if (!ir::prove_less(index, l.extent)) guards_.push_back({index, 0, l.extent});
  }
  void store(Expr right, BufferId packed, std::vector<IndexExpr> at) {
    std::vector<IndexExpr> indices;
    for (IndexExpr i : right->indices) indices.push_back(ir::substitute(i, map_));
    Expr zero = guards_.empty() ? nullptr : program_.exprs->zero(right->type);
    Expr value = program_.exprs->load(right->buffer, program_.buffer(right->buffer).type, indices, guards_, zero);
    nest_.stores.push_back({packed, std::move(at), value});
  }
};

// The nest reads its right operand from the panels, which contain what it read before, rounded to their type. A nest
// cannot express the contents of panels in blocks, or of transformed taps; it only records that they are read.
void read_packed(Program& program, LoopNest& nest, const TileContraction& c) {
  const int64_t width = rt::slice_columns(c.format, c.shape.nr), group = info(c.format).k_group;
  std::vector<IndexExpr> at{c.packed_batch,
                            ir::floordiv(c.columns.var, width),
                            linear(c.taps),
                            ir::floordiv(c.k.var, group),
                            ir::mod(c.columns.var, width),
                            ir::mod(c.k.var, group)};
  if (info(c.format).form == rt::LeftForm::block) at = {c.packed_batch, ir::floordiv(c.columns.var, width), 0};
  if (c.winograd.side != 0) at[2] = 0;
  ir::Rewrite redirect;
  redirect.replace_load = [&](Expr load) -> Expr {
    if (load != c.right) return nullptr;
    return program.exprs->cast(load->type, program.exprs->load(c.packed, program.buffer(c.packed).type, at));
  };
  auto& value = nest.reductions[0].value;
  value = ir::rewrite(*program.exprs, value, redirect);
}

// The shape of the panels; sets their offsets in it.
std::vector<IndexExpr> panel_shape(TileContraction& c, const std::vector<Loop>& batch) {
  const int64_t group = info(c.format).k_group;
  IndexExpr taps = points(c.taps), steps = ir::ceildiv(c.k.extent, group), original_taps = 0;
  if (c.winograd.side != 0) original_taps = taps, taps = int64_t(rt::winograd::products(c.winograd));
  c.packed_batch = linear(batch);
  if (info(c.format).form == rt::LeftForm::block) {
    c.panel_elements = rt::panel_elements(c.format, taps.constant(), c.k.extent.constant(), c.shape.nr);
    return {points(batch), ir::ceildiv(c.columns.extent, c.shape.nr), c.panel_elements};
  }
  c.panel_elements = taps * steps * (c.shape.nr * group);
  return {points(batch), slices_of(c), taps + original_taps, steps, rt::slice_columns(c.format, c.shape.nr), group};
}

}  // namespace

void pack_right_operand(Program& program, Layouts& layouts, TileContraction& c, const Options& options,
                        Prepared& prepared) {
  const auto batch = moving(c.right, c.batch);
  auto shape = panel_shape(c, batch);
  const size_t rank = shape.size();
  const ir::Buffer& right = program.buffer(c.right->buffer);
  const bool constant = options.weight_prepack && right.kind == ir::BufferKind::constant;
  c.packed = program.add_buffer(right.name + ".packed", info(c.format).panel, std::move(shape),
                                constant ? ir::BufferKind::constant : ir::BufferKind::temporary);
  layouts.push_back(row_major(rank));
  if (constant) {
    prepared.packed.push_back(pack_constant(program, c, batch));
  } else {
    LoopNest packing = PackingNest(program, c).take();
    packing.origins = prepared.nest.origins;
    prepared.copies.push_back({std::move(packing), "packing", kPackedEachRun});
  }
  read_packed(program, prepared.nest, c);
}

namespace {

// Returns whether so many rows share so few sets of the second-level cache that they fill half of them.
bool fill_sets(int64_t rows, int64_t row_bytes, const Target& target) {
  constexpr int64_t kWays = 16;
  const int64_t period = target.l2_bytes / kWays, sets = period / std::gcd(period, row_bytes);
  return rows > kWays / 2 * sets;
}

}  // namespace

bool right_stays_in_place(const Program& program, const Layouts& layouts, const TileContraction& c,
                          const Target& target) {
  const bool formats = rt::is_float32(c.format) || c.format == rt::TileFormat::f32_copied;
  const rt::TileShape tiles = target.tiles[size_t(rt::TileFormat::f32_matrix)];
  if (!formats || c.shape.mr > tiles.mr || c.shape.nr > tiles.nr ||
      program.buffer(c.right->buffer).kind == ir::BufferKind::constant)
    return false;
  if (!points(c.taps).is_constant(1) || !c.columns.extent.is_constant()) return false;
  const IndexExpr offset = offset_of(program, layouts, c.right);
  const auto column = ir::stride_of(offset, c.columns.var.node()), row = ir::stride_of(offset, c.k.var.node());
  constexpr int64_t kMostBytes = int64_t{1} << 40;
  if (!column || !column->is_constant(1) || !row || !row->is_constant() || row->constant() < 1) return false;
  const int64_t row_bytes = row->constant() * int64_t(sizeof(float));
  if (row_bytes > kMostBytes) return false;
  const IndexExpr rows = points(c.rows);
  const bool read_few_times = rows.is_constant() && rows.constant() <= 2 * c.shape.mr;
  return read_few_times || (c.k.extent.is_constant() && !fill_sets(c.k.extent.constant(), row_bytes, target));
}

void read_in_place(TileContraction& c) {
  c.right_in_place = true;
  c.packed = c.right->buffer;
  c.panel_elements = c.k.extent * int64_t(c.shape.nr);
}

}  // namespace cppgen::schedule
