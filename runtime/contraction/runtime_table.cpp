#include <array>
#include <cmath>

#include "isa/vec_isa.h"
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

struct TileEntry {
  TileFormat format;
  const TileSet* tiles;
};
constexpr TileSets with(TileSets sets, std::initializer_list<TileEntry> more) {
  for (const TileEntry& entry : more) sets[size_t(entry.format)] = entry.tiles;
  return sets;
}

using enum TileFormat;
constexpr TileSets kScalar = with({}, {{f32, &scalar::tiles_f32},
                                       {u8s8, &scalar::tiles_u8s8},
                                       {s8s8, &scalar::tiles_s8s8},
                                       {f32_of_f16, &scalar::tiles_f32_of_f16},
                                       {f32_of_bf16, &scalar::tiles_f32_of_bf16},
                                       {f32_copied, &scalar::tiles_f32_copied},
                                       {n_bits, &scalar::tiles_n_bits},
                                       {n_bits_of_f16, &scalar::tiles_n_bits_of_f16},
                                       {n_bits_of_bf16, &scalar::tiles_n_bits_of_bf16}});
constexpr TileSets kAvx2 = with({}, {{f32, &avx2::tiles_f32},
                                     {f32_wide, &avx2::tiles_f32_wide},
                                     {f32_narrow, &avx2::tiles_f32_narrow},
                                     {u8s8, &avx2::tiles_u8s8},
                                     {s8s8, &avx2::tiles_s8s8},
                                     {f32_of_f16, &avx2::tiles_f32_of_f16},
                                     {f32_of_bf16, &avx2::tiles_f32_of_bf16},
                                     {f32_copied, &avx2::tiles_f32_copied},
                                     {n_bits, &avx2::tiles_n_bits},
                                     {n_bits_of_f16, &avx2::tiles_n_bits_of_f16},
                                     {n_bits_of_bf16, &avx2::tiles_n_bits_of_bf16}});
constexpr TileSets kAvx512 = with({}, {{f32, &avx512::tiles_f32},
                                       {f32_wide, &avx512::tiles_f32_wide},
                                       {f32_narrow, &avx512::tiles_f32_narrow},
                                       {u8s8, &avx512::tiles_u8s8},
                                       {s8s8, &avx512::tiles_s8s8},
                                       {f32_of_f16, &avx512::tiles_f32_of_f16},
                                       {f32_of_bf16, &avx512::tiles_f32_of_bf16},
                                       {f32_copied, &avx512::tiles_f32_copied},
                                       {n_bits, &avx512::tiles_n_bits},
                                       {n_bits_of_f16, &avx512::tiles_n_bits_of_f16},
                                       {n_bits_of_bf16, &avx512::tiles_n_bits_of_bf16}});
constexpr TileSets kVnni = with(kAvx512, {{u8s8, &avx512_vnni::tiles_u8s8}, {s8s8, &avx512_vnni::tiles_s8s8}});
constexpr TileSets kBf16 =
    with(kVnni, {{bf16, &avx512_bf16::tiles_bf16}, {bf16_of_f32, &avx512_bf16::tiles_bf16_of_f32}});
constexpr TileSets kAmx = with(kBf16, {{split_bf16, &amx::tiles_split_bf16},
                                       {split1, &amx::tiles_split1},
                                       {split2, &amx::tiles_split2},
                                       {split3, &amx::tiles_split3},
                                       {u8s8_block, &amx::tiles_u8s8_block},
                                       {s8s8_block, &amx::tiles_s8s8_block}});

constexpr TileSets kEmulatedAmx = with(kBf16, {{split_bf16, &emulated_amx::tiles_split_bf16},
                                               {split1, &emulated_amx::tiles_split1},
                                               {split2, &emulated_amx::tiles_split2},
                                               {split3, &emulated_amx::tiles_split3},
                                               {u8s8_block, &emulated_amx::tiles_u8s8_block},
                                               {s8s8_block, &emulated_amx::tiles_s8s8_block}});

constexpr Row kRows[] = {
    {"scalar", &scalar::strided_f32, kScalar},    {"avx2", &avx2::strided_f32, kAvx2},
    {"avx512", &avx512::strided_f32, kAvx512},    {"avx512_vnni", &avx512::strided_f32, kVnni},
    {"avx512_bf16", &avx512::strided_f32, kBf16}, {"amx", &avx512::strided_f32, kAmx},
};

// Its own row, or that of the instruction set that it extends.
size_t row_of(std::string_view isa) {
  for (const VecISA* row = find_isa(isa); row; row = find_isa(row->base))
    for (size_t i = 0; i < std::size(kRows); i++)
      if (kRows[i].isa == row->name) return i;
  internal_error("no contraction tiles for the instruction set \"{}\"", isa);
}

// The table that kernels receive: the functions without their shapes, which the schedule already knows.
class RuntimeTable {
 public:
  void set(const Row& row) {
    for (size_t f = 0; f < kTileFormatCount; f++)
      if (const TileSet* set = row.tiles[f]) {
        functions_[f] = set->functions, prepare_[f] = set->prepare;
        begin_[f] = set->begin, finish_[f] = set->finish;
      }
    table_ = {kUnaryF64,
              [](double x, double y) { return std::pow(x, y); },
              [](double x, double y) { return std::fmod(x, y); },
              functions_.data(),
              row.strided->functions,
              prepare_.data(),
              begin_.data(),
              finish_.data()};
  }
  const cppgen_runtime* get() const { return &table_; }

 private:
  std::array<const TileFunction*, kTileFormatCount> functions_{};
  std::array<PrepareFunction, kTileFormatCount> prepare_{};
  std::array<void (*)(), kTileFormatCount> begin_{}, finish_{};
  cppgen_runtime table_{};
};

struct RuntimeTables {
  std::array<RuntimeTable, std::size(kRows)> of_row;
  RuntimeTable emulated_amx;

  RuntimeTables() {
    for (size_t i = 0; i < std::size(kRows); i++) of_row[i].set(kRows[i]);
    emulated_amx.set({"", &avx512::strided_f32, kEmulatedAmx});
  }
};

const RuntimeTables& tables() {
  static const RuntimeTables tables;
  return tables;
}

}  // namespace

TileShape tile_shape(std::string_view isa, TileFormat format) {
  const TileSet* set = kRows[row_of(isa)].tiles[size_t(format)];
  return set ? TileShape{set->mr, set->nr} : TileShape{};
}

const cppgen_runtime* runtime_table(std::string_view isa) { return tables().of_row[row_of(isa)].get(); }

const cppgen_runtime* emulated_amx_table() { return tables().emulated_amx.get(); }

}  // namespace cppgen::rt
