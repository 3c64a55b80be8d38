#include "runtime/contraction/formats.h"

#include "runtime/contraction/byte_block_layout.h"
#include "runtime/contraction/split_layout.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {

std::span<const TileFormatInfo> tile_formats() {
  static constexpr TileFormatInfo kFormats[] = {
#define CPPGEN_TILE_FORMAT(format, left, right, panel, sum, k_group, form, parts) \
  {#format, DType::left, DType::right, DType::panel, DType::sum, k_group, LeftForm::form, parts},
#include "runtime/contraction/tile_formats.def"
  };
  return kFormats;
}

DType prepared_type(TileFormat format) {
  const DType panel = info(format).panel;
  return panel == DType::u8 ? DType::f32 : panel;
}

KBlocks k_blocks(TileFormat format, long taps, long K) {
  const TileFormatInfo& row = info(format);
  if (!row.parts) return {1, taps, K, 0};
  const auto b = split::k_blocks(taps, K, row.parts);
  return {b.count, b.taps, b.k, split::panel_bytes(b.taps * b.k, row.parts)};
}

int slice_columns(TileFormat format, int nr) {
  const bool sliced = info(format).panel == DType::f32 && nr % kSliceColumns == 0 && nr <= kMostTileColumns;
  return sliced ? kSliceColumns : nr;
}

bool tiles_prefetch(TileFormat format) { return format == TileFormat::u8s8_wide || format == TileFormat::s8s8_wide; }

long lines_of_step(TileFormat format) {
  const int parts = info(format).parts;
  return (parts ? 2 * parts * split::kPartElements : byte_blocks::kStepBytes) / kLineBytes;
}

long panel_elements(TileFormat format, long taps, long K, int nr) {
  const TileFormatInfo& row = info(format);
  if (row.form == LeftForm::block)
    return row.parts ? split::all_panel_bytes(taps, K, row.parts) : byte_blocks::panel_bytes(taps * K);
  return taps * ((K + row.k_group - 1) / row.k_group * row.k_group) * nr;
}

long prepared_bytes(TileFormat format, long rows, long taps, long K) {
  const TileFormatInfo& row = info(format);
  const KBlocks of_block = k_blocks(format, taps, K);
  switch (row.form) {
    case LeftForm::in_place:
      return 0;
    case LeftForm::rows:
      return taps * rows * prepared_row_bytes(K, long(size_of(prepared_type(format))));
    case LeftForm::block:
      return row.parts ? split::rows_bytes(of_block.taps * of_block.k, row.parts) : byte_blocks::rows_bytes(taps * K);
  }
  return 0;
}

}  // namespace cppgen::rt
