#include "runtime/contraction/formats.h"

#include <array>

namespace cppgen::rt {

std::span<const TileFormatInfo> tile_formats() {
  using enum DType;
  static constexpr std::array<TileFormatInfo, kTileFormatCount> kFormats{{
      {"f32", f32, f32, f32, f32, 1},
      {"f32_wide", f32, f32, f32, f32, 1},
      {"f32_narrow", f32, f32, f32, f32, 1},
      {"u8s8", u8, i8, i8, i32, 4},
      {"s8s8", i8, i8, i8, i32, 4},
  }};
  return kFormats;
}

}  // namespace cppgen::rt
