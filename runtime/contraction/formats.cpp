#include "runtime/contraction/formats.h"

#include <array>

#include "runtime/contraction/byte_block_layout.h"
#include "runtime/contraction/split_layout.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {

std::span<const TileFormatInfo> tile_formats() {
  using enum DType;
  using enum LeftForm;
  static constexpr std::array<TileFormatInfo, kTileFormatCount> kFormats{{
      {"f32", f32, f32, f32, f32, 1},
      {"f32_wide", f32, f32, f32, f32, 1},
      {"f32_narrow", f32, f32, f32, f32, 1},
      {"u8s8", u8, i8, i8, i32, 4},
      {"s8s8", i8, i8, i8, i32, 4},
      {"f32_of_f16", f16, f16, f32, f32, 1, rows},
      {"f32_of_bf16", bf16, bf16, f32, f32, 1, rows},
      {"bf16", bf16, bf16, bf16, f32, 2},
      {"bf16_of_f32", f32, f32, bf16, f32, 2, rows},
      {"split_bf16", bf16, bf16, u8, f32, 1, block, 1},
      {"split1", f32, f32, u8, f32, 1, block, 1},
      {"split2", f32, f32, u8, f32, 1, block, 2},
      {"split3", f32, f32, u8, f32, 1, block, 3},
      {"f32_copied", f32, f32, f32, f32, 1, rows},
      {"n_bits", f32, u8, u8, f32, 1},
      {"n_bits_of_f16", f16, u8, u8, f32, 1, rows},
      {"n_bits_of_bf16", bf16, u8, u8, f32, 1, rows},
      {"u8s8_block", u8, i8, u8, i32, 1, block},
      {"s8s8_block", i8, i8, u8, i32, 1, block},
  }};
  return kFormats;
}

DType prepared_type(TileFormat format) {
  const DType panel = info(format).panel;
  return panel == DType::u8 ? DType::f32 : panel;
}

DepthBlocks depth_blocks(TileFormat format, long taps, long depth) {
  const TileFormatInfo& row = info(format);
  if (!row.parts) return {1, taps, depth, 0};
  const auto b = split::depth_blocks(taps, depth, row.parts);
  return {b.count, b.taps, b.depth, split::panel_bytes(b.taps * b.depth, row.parts)};
}

long panel_elements(TileFormat format, long taps, long depth, int nr) {
  const TileFormatInfo& row = info(format);
  if (row.form == LeftForm::block)
    return row.parts ? split::all_panel_bytes(taps, depth, row.parts) : byte_blocks::panel_bytes(taps * depth);
  return taps * ((depth + row.depth_group - 1) / row.depth_group * row.depth_group) * nr;
}

long prepared_bytes(TileFormat format, long rows, long taps, long depth) {
  const TileFormatInfo& row = info(format);
  const DepthBlocks of_block = depth_blocks(format, taps, depth);
  switch (row.form) {
    case LeftForm::in_place:
      return 0;
    case LeftForm::rows:
      return taps * rows * prepared_row_bytes(depth, long(size_of(prepared_type(format))));
    case LeftForm::block:
      return row.parts ? split::rows_bytes(of_block.taps * of_block.depth, row.parts)
                       : byte_blocks::rows_bytes(taps * depth);
  }
  return 0;
}

}  // namespace cppgen::rt
