#include "runtime/contraction/formats.h"

#include "runtime/contraction/byte_block_layout.h"
#include "runtime/contraction/split_layout.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {

std::span<const TileFormatInfo> tile_formats() {
  static constexpr TileFormatInfo kFormats[] = {
#define CPPGEN_TILE_FORMAT(format, left, right, panel, sum, depth_group, form, parts) \
  {#format, DType::left, DType::right, DType::panel, DType::sum, depth_group, LeftForm::form, parts},
#include "runtime/contraction/tile_formats.def"
  };
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

int slice_columns(TileFormat format, int nr) {
  const bool sliced = info(format).panel == DType::f32 && nr % kSliceColumns == 0 && nr <= kMostTileColumns;
  return sliced ? kSliceColumns : nr;
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
