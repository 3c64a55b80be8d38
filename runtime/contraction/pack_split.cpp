#include "runtime/contraction/pack_split.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/split_layout.h"

namespace cppgen::rt {
namespace {

using split::kBlockSide, split::kStepK;

split::Range range_of(std::span<const float> values) {
  split::Range range = split::kNothing;
  for (float x : values) {
    if (!std::isfinite(x)) return split::kNotFinite;
    if (x == 0) continue;
    range.least = std::min(range.least, std::ilogb(x));
    range.most = std::max(range.most, std::ilogb(x));
  }
  return range;
}

// Element (k, column) of the first part of a step; those of other parts follow at kPartElements.
long place(long k, long column) {
  const long tile = column / split::kTileSide * split::kTileElements;
  return tile + k / 2 * (2 * split::kTileSide) + column % split::kTileSide * 2 + k % 2;
}

void pack_parts(const float* rows, long K, int parts, uint16_t* out) {
  for (long k = 0; k < split::steps(K) * kStepK; k++) {
    uint16_t* step = out + k / kStepK * parts * split::kPartElements;
    for (long j = 0; j < kBlockSide; j++) {
      float rest = k < K ? rows[k * kBlockSide + j] : 0.0f;
      for (int p = 0; p < parts; p++) {
        const uint16_t part = f32_to_bf16(rest);
        step[p * split::kPartElements + place(k % kStepK, j)] = part;
        rest -= bf16_to_f32(part);
      }
    }
  }
}

}  // namespace

void pack_split_panel(const float* rows, long K, int parts, void* out) {
  const std::span<const float> values(rows, size_t(K * kBlockSide));
  const split::Range range = range_of(values);
  std::memset(out, 0, size_t(split::panel_bytes(K, parts)));
  const split::PanelHeader header{parts == 1 || split::exact(range), range};
  std::memcpy(out, &header, sizeof header);
  char* data = static_cast<char*>(out) + split::kHeaderBytes;
  if (header.has_parts)
    pack_parts(rows, K, parts, reinterpret_cast<uint16_t*>(data));
  else
    std::memcpy(data, rows, values.size_bytes());
}

}  // namespace cppgen::rt
