#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/byte_block_layout.h"
#include "runtime/contraction/pack_split.h"
#include "runtime/contraction/split_layout.h"
#include "runtime/contraction/tile.h"

namespace cppgen::rt {
namespace {

// One panel of one tap: a rectangle of the source, and where it goes.
template <class T>
struct Panel {
  const T* from;
  long k, columns, k_stride, column_stride;
  int nr, group;
  T* to;
};

// Rows of the source are contiguous and not grouped: whole rows are copied.
template <class T>
void copy_rows(Panel<T> p) {
  for (long k = 0; k < p.k; k++, p.from += p.k_stride, p.to += p.nr) {
    std::memcpy(p.to, p.from, size_t(p.columns) * sizeof(T));
    std::fill(p.to + p.columns, p.to + p.nr, T(0));
  }
}

// Blocks of kBlock steps of K keep both the columns that are read and the rows that are written in L1. Without
// groups, no element's place needs a division.
template <bool grouped, class T>
void copy_elements(const Panel<T>& p) {
  constexpr long kBlock = 16;
  const long steps = (p.k + p.group - 1) / p.group * p.group;
  for (long begin = 0; begin < steps; begin += kBlock) {
    const long end = std::min(steps, begin + kBlock);
    std::fill(p.to + begin * p.nr, p.to + end * p.nr, T(0));
    for (long j = 0; j < p.columns; j++)
      for (long k = begin; k < std::min(p.k, end); k++) {
        const long place = grouped ? (k / p.group * p.nr + j) * p.group + k % p.group : k * p.nr + j;
        p.to[place] = p.from[k * p.k_stride + j * p.column_stride];
      }
  }
}

template <class T>
void pack(const PanelSource& source, int nr, int group, long panel_stride, void* out) {
  const T* from = static_cast<const T*>(source.data);
  T* to = static_cast<T*>(out);
  for (long j = 0; j < source.columns; j += nr, to += panel_stride) {
    const Panel<T> panel{from + j * source.column_stride,
                         source.k,
                         std::min<long>(nr, source.columns - j),
                         source.k_stride,
                         source.column_stride,
                         nr,
                         group,
                         to};
    if (group == 1 && source.column_stride == 1)
      copy_rows(panel);
    else if (group == 1)
      copy_elements<false>(panel);
    else
      copy_elements<true>(panel);
  }
}

void pack_as_is(DType type, const PanelSource& source, int nr, int group, long panel_stride, void* out) {
  switch (size_of(type)) {
    case 1:
      return pack<uint8_t>(source, nr, group, panel_stride, out);
    case 2:
      return pack<uint16_t>(source, nr, group, panel_stride, out);
    case 4:
      return pack<uint32_t>(source, nr, group, panel_stride, out);
    case 8:
      return pack<uint64_t>(source, nr, group, panel_stride, out);
    default:
      internal_error("panels of {} cannot be packed", name_of(type));
  }
}

float to_f32(DType type, const void* data, long i) {
  if (type == DType::f32) return static_cast<const float*>(data)[i];
  return with_narrow_float(
      type, [&](auto narrow) { return narrow.widened(static_cast<const typename decltype(narrow)::Bits*>(data)[i]); });
}

// The tap as float32 or bfloat16, its rows contiguous.
template <class T>
std::vector<T> converted(const PanelSource& source, DType from, T (*convert)(float)) {
  std::vector<T> values;
  values.reserve(size_t(source.k * source.columns));
  for (long k = 0; k < source.k; k++)
    for (long j = 0; j < source.columns; j++)
      values.push_back(convert(to_f32(from, source.data, k * source.k_stride + j * source.column_stride)));
  return values;
}

PanelSource contiguous(const PanelSource& source, const void* data) {
  return {data, source.k, source.columns, source.columns, 1};
}

float unchanged(float x) { return x; }

void pack_as_f32(DType from, const PanelSource& source, int nr, int group, long panel_stride, void* out) {
  const std::vector<float> values = converted(source, from, unchanged);
  pack<uint32_t>(contiguous(source, values.data()), nr, group, panel_stride, out);
}

void pack_as_bf16(DType from, const PanelSource& source, int nr, int group, long panel_stride, void* out) {
  const std::vector<uint16_t> values = converted(source, from, f32_to_bf16);
  pack<uint16_t>(contiguous(source, values.data()), nr, group, panel_stride, out);
}

void pack_split_panels(const TileFormatInfo& format, std::span<const PanelSource> taps, int nr, void* out) {
  const long tap_k = taps[0].k, K = long(taps.size()) * tap_k, panels = (taps[0].columns + nr - 1) / nr;
  std::vector<float> rows(size_t(panels * K * nr));
  for (size_t t = 0; t < taps.size(); t++)
    pack_as_f32(format.right, taps[t], nr, 1, K * nr, rows.data() + long(t) * tap_k * nr);
  const long taps_count = long(taps.size());
  const split::KBlocks blocks = split::k_blocks(taps_count, tap_k, format.parts);
  char* to = static_cast<char*>(out);
  for (long p = 0; p < panels; p++)
    for (long i = 0; i < blocks.count; i++) {
      const long first = i * blocks.taps * blocks.k, of_block = split::block_k(blocks, i, taps_count, tap_k);
      pack_split_panel(rows.data() + (p * K + first) * nr, of_block, format.parts, to);
      to += split::panel_bytes(of_block, format.parts);
    }
}

void pack_byte_blocks(std::span<const PanelSource> taps, int nr, void* out) {
  const long tap_k = taps[0].k, bytes = byte_blocks::panel_bytes(long(taps.size()) * tap_k);
  char* panel = static_cast<char*>(out);
  for (long first = 0; first < taps[0].columns; first += nr, panel += bytes) {
    std::memset(panel, 0, size_t(bytes));
    for (size_t t = 0; t < taps.size(); t++)
      for (long j = 0; j < std::min<long>(nr, taps[t].columns - first); j++) {
        const char* from = static_cast<const char*>(taps[t].data) + (first + j) * taps[t].column_stride;
        for (long k = 0; k < tap_k; k++)
          panel[byte_blocks::place_in_panel(long(t) * tap_k + k, j)] = from[k * taps[t].k_stride];
      }
  }
}

}  // namespace

long panel_tap_elements(TileFormat format, long K, int nr) {
  const int group = info(format).k_group;
  return (K + group - 1) / group * group * nr;
}

void pack_tap(TileFormat format, const PanelSource& source, int nr, long panel_stride, void* out) {
  const TileFormatInfo& row = info(format);
  if (row.right == row.panel) return pack_as_is(row.panel, source, nr, row.k_group, panel_stride, out);
  if (row.panel == DType::f32) return pack_as_f32(row.right, source, nr, row.k_group, panel_stride, out);
  if (row.panel == DType::bf16) return pack_as_bf16(row.right, source, nr, row.k_group, panel_stride, out);
  internal_error("panels of {} require a conversion", row.name);
}

void pack_panels(TileFormat format, std::span<const PanelSource> taps, int nr, void* out) {
  if (taps.empty()) return;
  const TileFormatInfo& row = info(format);
  if (row.parts) return pack_split_panels(row, taps, nr, out);
  if (row.form == LeftForm::block) return pack_byte_blocks(taps, nr, out);
  const int width = slice_columns(format, nr);
  const long elements = panel_tap_elements(format, taps[0].k, width), slice = elements * long(taps.size());
  const long columns = taps[0].columns, packed = (columns + width - 1) / width * slice,
             all = (columns + nr - 1) / nr * (nr / width) * slice, bytes = long(size_of(row.panel));
  for (size_t t = 0; t < taps.size(); t++)
    pack_tap(format, taps[t], width, slice, static_cast<char*>(out) + long(t) * elements * bytes);
  std::memset(static_cast<char*>(out) + packed * bytes, 0, size_t((all - packed) * bytes));
}

}  // namespace cppgen::rt
