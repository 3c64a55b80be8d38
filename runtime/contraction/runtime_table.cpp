#include <array>
#include <cmath>

#include "runtime/base/errors.h"
#include "runtime/contraction/tile.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt {
namespace {

// In the order of the .def file, which is the order that kernels index by.
constexpr double (*kUnaryF64[])(double) = {
#define MATH(name) [](double x) { return std::name(x); },
#include "runtime/abi/math_functions.def"
#undef MATH
};

// The tiles of an ISA by format, null where it has none.
using TileSets = std::array<const TileSet*, kTileFormatCount>;

struct Row {
  std::string_view isa;
  const StridedTileSet* strided;
  TileSets tiles;
};

constexpr TileSets kAvx512{&avx512::tiles_f32, &avx512::tiles_f32_wide, &avx512::tiles_f32_narrow, &avx512::tiles_u8s8,
                           &avx512::tiles_s8s8};
constexpr TileSets kVnni{&avx512::tiles_f32, &avx512::tiles_f32_wide, &avx512::tiles_f32_narrow,
                         &avx512_vnni::tiles_u8s8, &avx512_vnni::tiles_s8s8};

constexpr std::array<Row, 6> kRows{{
    {"scalar", &scalar::strided_f32, {&scalar::tiles_f32, nullptr, nullptr, &scalar::tiles_u8s8, &scalar::tiles_s8s8}},
    {"avx2",
     &avx2::strided_f32,
     {&avx2::tiles_f32, &avx2::tiles_f32_wide, &avx2::tiles_f32_narrow, &avx2::tiles_u8s8, &avx2::tiles_s8s8}},
    {"avx512", &avx512::strided_f32, kAvx512},
    {"avx512_vnni", &avx512::strided_f32, kVnni},
    {"avx512_bf16", &avx512::strided_f32, kVnni},
    {"amx", &avx512::strided_f32, kVnni},
}};

size_t row_of(std::string_view isa) {
  for (size_t i = 0; i < kRows.size(); i++)
    if (kRows[i].isa == isa) return i;
  internal_error("no contraction tiles for the instruction set \"{}\"", isa);
}

// What kernels see: the functions without the shapes, which the schedule knew.
struct RuntimeTables {
  std::array<std::array<const TileFunction*, kTileFormatCount>, kRows.size()> functions{};
  std::array<cppgen_runtime, kRows.size()> tables{};

  RuntimeTables() {
    for (size_t i = 0; i < kRows.size(); i++) {
      for (size_t f = 0; f < kTileFormatCount; f++)
        if (const TileSet* set = kRows[i].tiles[f]) functions[i][f] = set->functions;
      tables[i] = {kUnaryF64, [](double x, double y) { return std::pow(x, y); },
                   [](double x, double y) { return std::fmod(x, y); }, functions[i].data(),
                   kRows[i].strided->functions};
    }
  }
};

}  // namespace

TileShape tile_shape(std::string_view isa, TileFormat format) {
  const TileSet* set = kRows[row_of(isa)].tiles[size_t(format)];
  return set ? TileShape{set->mr, set->nr} : TileShape{};
}

const cppgen_runtime* runtime_table(std::string_view isa) {
  static const RuntimeTables tables;
  return &tables.tables[row_of(isa)];
}

}  // namespace cppgen::rt
