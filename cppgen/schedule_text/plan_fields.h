#pragma once
#include "cppgen/kernel/plan.h"

// The fields of kernels' plans, for the printer (field_printer.h) alone: a plan follows from its kernel.
namespace cppgen::schedule_text {

template <class V>
void fields(V& v, kernel::Prefetch& prefetch) {
  auto& [buffer, offset, written] = prefetch;
  v.buffer("buffer", buffer);
  v("offset", offset);
  v("written", written, false);
}

template <class V>
void fields(V& v, kernel::SumParts& parts) {
  auto& [loop, steps, most_terms, terms, spread, more] = parts;
  v("loop", loop);
  v("steps", steps);
  v("most_terms", most_terms);
  v("terms", terms, 1);
  v("spread", spread, 1);
  v("more", more, 0);
}

template <class V>
void fields(V& v, kernel::SegmentPlan& segment) {
  auto& [sum_parts, has_total, prefetches] = segment;
  v.maybe("sum_parts", sum_parts);
  v("has_total", std::vector<int>(has_total.begin(), has_total.end()), {});
  v.records("prefetch", prefetches);
}

template <class V>
void fields(V& v, kernel::LoopsPlan& plan) {
  auto& [scratch_offsets, segments] = plan;
  v("scratch_offsets", scratch_offsets, {});
  v.records("segment", segments);
}

template <class V>
void fields(V& v, kernel::RowsPlan& plan) {
  v("accumulators", plan.accumulators);
  fields(v, static_cast<kernel::LoopsPlan&>(plan));
}

template <class V>
void fields(V& v, kernel::ColumnsPlan& plan) {
  v("block", plan.block);
  v("vectors", plan.vectors, 1);
  v("chains", plan.chains, 1);
  v("unroll", plan.unroll, 1);
  v("masks_full_vectors", plan.masks_full_vectors, false);
  v("interleaved", plan.interleaved, 1);
  fields(v, static_cast<kernel::LoopsPlan&>(plan));
}

template <class V>
void fields(V& v, kernel::WindowsPlan::Inside& inside) {
  auto& [least, lo, greatest, hi] = inside;
  v("least", least);
  v("lo", lo);
  v("greatest", greatest);
  v("hi", hi);
}

template <class V>
void fields(V& v, kernel::WindowsPlan& plan) {
  fields(v, static_cast<kernel::ColumnsPlan&>(plan));
  v("knows_borders", plan.inside.has_value());
  if (plan.inside) v.records("inside", *plan.inside);
}

template <class V>
void fields(V& v, kernel::TransposedPlan::Load& it) {
  auto& [load, offset, across, end, few] = it;
  v.values({load});
  v("load", load);
  v("offset", offset);
  v("across", across);
  if (end) v("end", *end);
  v("few", few, 0);
}

template <class V>
void fields(V& v, kernel::TransposedPlan::NextTile& tile) {
  auto& [buffer, offset, stride, transposed] = tile;
  v.buffer("buffer", buffer);
  v("offset", offset);
  v("stride", stride);
  v("transposed", transposed, false);
}

template <class V>
void fields(V& v, kernel::TransposedPlan& plan) {
  v("side", plan.side);
  v("width", plan.width);
  v.records("load", plan.loads);
  v.records("next_tile", plan.next_tiles);
  v("moves", plan.moves, false);
  fields(v, static_cast<kernel::LoopsPlan&>(plan));
}

template <class V>
void fields(V& v, kernel::TilesPlan::Blocks& blocks) {
  auto& [depth, tiles, prepared_bytes, weight_bytes, least_tiles] = blocks;
  auto& [count, taps, depth_of_block, panel_bytes] = depth;
  v("count", count);
  v("taps", taps);
  v("depth", depth_of_block);
  v("panel_bytes", panel_bytes, 0);
  v("tiles", tiles);
  v("prepared_bytes", prepared_bytes, 0);
  v("weight_bytes", weight_bytes, 0);
  v("least_tiles", least_tiles, 0);
}

template <class V>
void fields(V& v, kernel::TilesPlan& plan) {
  auto& [tiles, panels, panels_per_unit, blocks, batch_inside, rows_outside, even_rows, batch_distance, transposed,
         transposed_side, row_counts, row_counts_are_all, width] = plan;
  v("tiles", tiles);
  v("panels", panels);
  v("panels_per_unit", panels_per_unit);
  v.maybe("blocks", blocks);
  v("batch_inside", batch_inside, false);
  v("rows_outside", rows_outside, false);
  v("even_rows", even_rows, false);
  v("batch_distance", batch_distance, 0);
  v("transposed", transposed, false);
  v("transposed_side", transposed_side, 1);
  v("row_counts", row_counts, {});
  v("row_counts_are_all", row_counts_are_all, false);
  if (width) v("width", *width);
}

template <class V>
void fields(V& v, kernel::WinogradPlan& plan) {
  auto& [side_down, side_across, down, across, patches, blocks, most_patches, panels, panels_per_unit, panels_at_once,
         rows_outside, batch_per_unit, groups, input_row, input_plane, sums_plane] = plan;
  v("side_down", side_down);
  v("side_across", side_across);
  v("down", down);
  v("across", across);
  v("patches", patches);
  v("blocks", blocks);
  v("most_patches", most_patches);
  v("panels", panels);
  v("panels_per_unit", panels_per_unit);
  v("panels_at_once", panels_at_once, 1);
  v("rows_outside", rows_outside, false);
  v("batch_per_unit", batch_per_unit, 1);
  v("groups", groups);
  v("input_row", input_row);
  v("input_plane", input_plane);
  v("sums_plane", sums_plane);
}

template <class V>
void fields(V& v, kernel::OperandMatrix& matrix) {
  auto& [base, row_stride, step_stride, rows_contiguous] = matrix;
  v("base", base);
  v("row_stride", row_stride);
  v("step_stride", step_stride);
  v("rows_contiguous", rows_contiguous, false);
}

template <class V>
void fields(V& v, kernel::KeysSeen& seen) {
  auto& [first, by_row, fill] = seen;
  v("first", first);
  v("by_row", by_row);
  v("fill", fill);
}

template <class V>
void fields(V& v, kernel::AttentionPlan::TransposedLoad& transposed) {
  auto& [load, start, ld, scratch] = transposed;
  v.values({load});
  v("load", load);
  v("start", start);
  v("ld", ld);
  v("scratch", scratch);
}

template <class V>
void fields(V& v, kernel::AttentionPlan::Scratch& scratch) {
  auto& [name, shape, start, type] = scratch;
  v.word("name", name);
  v("shape", shape);
  v("start", start);
  v("type", type);
}

template <class V>
void fields(V& v, kernel::AttentionPlan& plan) {
  auto& [key_block, group_keys, few_rows, may_be_few, may_be_many, panels_at_once, most_panels_at_once, query, keys,
         values, hidden, transposed, scratch] = plan;
  v("key_block", key_block);
  v("group_keys", group_keys, 0);
  v("few_rows", few_rows, 0);
  v("may_be_few", may_be_few, false);
  v("may_be_many", may_be_many, false);
  v("panels_at_once", panels_at_once, 1);
  v("most_panels_at_once", most_panels_at_once, 1);
  v.record("query", query);
  v.record("keys", keys);
  v.record("values", values);
  v.maybe("hidden", hidden);
  v.records("transposed", transposed);
  v.records("scratch", scratch);
}

template <class V>
void fields(V& v, kernel::KernelWork& work) {
  auto& [flops, rate, products, multi_instruction, functions, instructions, bytes] = work;
  v("flops", flops, 0);
  v("rate", rate, 1);
  v("products", products, 0);
  v("compounds", multi_instruction, 0);
  v("functions", functions, 0);
  v("instructions", instructions, 0);
  v("bytes", bytes, 0);
}

template <class V>
void fields(V& v, kernel::KernelPlan& plan) {
  auto& [units, unit_work, scratch_bytes, form, work] = plan;
  v("units", units);
  v("unit_work", unit_work);
  v("scratch_bytes", scratch_bytes, 0);
  std::visit([&v](auto& it) { fields(v, it); }, form);
  v.record("work", work);
}

}  // namespace cppgen::schedule_text
