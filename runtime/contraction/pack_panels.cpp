#include <algorithm>
#include <cstring>

#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"

namespace cppgen::rt {
namespace {

// One panel of one tap: a rectangle of the source, and where it goes.
template <class T>
struct Panel {
  const T* from;
  long depth, columns, depth_stride, column_stride;
  int nr, group;
  T* to;
};

// Rows of the source are contiguous and not grouped: whole rows are copied.
template <class T>
void copy_rows(Panel<T> p) {
  for (long k = 0; k < p.depth; k++, p.from += p.depth_stride, p.to += p.nr) {
    std::memcpy(p.to, p.from, size_t(p.columns) * sizeof(T));
    std::fill(p.to + p.columns, p.to + p.nr, T(0));
  }
}

// Blocks of kBlock steps of the depth keep both the columns that are read and the rows that are written in L1.
template <class T>
void copy_elements(const Panel<T>& p) {
  constexpr long kBlock = 16;
  const long steps = (p.depth + p.group - 1) / p.group * p.group;
  for (long begin = 0; begin < steps; begin += kBlock) {
    const long end = std::min(steps, begin + kBlock);
    std::fill(p.to + begin * p.nr, p.to + end * p.nr, T(0));
    for (long j = 0; j < p.columns; j++)
      for (long k = begin; k < std::min(p.depth, end); k++)
        p.to[(k / p.group * p.nr + j) * p.group + k % p.group] = p.from[k * p.depth_stride + j * p.column_stride];
  }
}

template <class T>
void pack(const PanelSource& source, int nr, int group, long panel_stride, void* out) {
  static_assert(sizeof(T) <= 4);
  const T* from = static_cast<const T*>(source.data);
  T* to = static_cast<T*>(out);
  for (long j = 0; j < source.columns; j += nr, to += panel_stride) {
    const Panel<T> panel{from + j * source.column_stride,
                         source.depth,
                         std::min<long>(nr, source.columns - j),
                         source.depth_stride,
                         source.column_stride,
                         nr,
                         group,
                         to};
    if (group == 1 && source.column_stride == 1)
      copy_rows(panel);
    else
      copy_elements(panel);
  }
}

}  // namespace

long panel_tap_elements(TileFormat format, long depth, int nr) {
  const int group = info(format).depth_group;
  return (depth + group - 1) / group * group * nr;
}

void pack_tap(TileFormat format, const PanelSource& source, int nr, long panel_stride, void* out) {
  const TileFormatInfo& row = info(format);
  if (row.right != row.panel) internal_error("panels of {} need a conversion", row.name);
  switch (size_of(row.panel)) {
    case 1:
      return pack<uint8_t>(source, nr, row.depth_group, panel_stride, out);
    case 2:
      return pack<uint16_t>(source, nr, row.depth_group, panel_stride, out);
    case 4:
      return pack<uint32_t>(source, nr, row.depth_group, panel_stride, out);
    default:
      internal_error("panels of {} are not packed", row.name);
  }
}

}  // namespace cppgen::rt
