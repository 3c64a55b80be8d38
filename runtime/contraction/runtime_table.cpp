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

constexpr cppgen_runtime make_table(const TileFunction* tiles) {
  return {kUnaryF64, [](double x, double y) { return std::pow(x, y); },
          [](double x, double y) { return std::fmod(x, y); }, tiles};
}

struct Row {
  std::string_view isa;
  TileShape shape;
  cppgen_runtime table;
};

const Row kRows[] = {
    {"scalar", {scalar::kTileRows, scalar::kTileColumns}, make_table(scalar::tile_f32)},
    {"avx2", {avx2::kTileRows, avx2::kTileColumns}, make_table(avx2::tile_f32)},
    {"avx512", {avx512::kTileRows, avx512::kTileColumns}, make_table(avx512::tile_f32)},
};

const Row& row_of(std::string_view isa) {
  for (const Row& row : kRows)
    if (row.isa == isa) return row;
  internal_error("no contraction tiles for the instruction set \"{}\"", isa);
}

}  // namespace

TileShape tile_shape(std::string_view isa) { return row_of(isa).shape; }

const cppgen_runtime* runtime_table(std::string_view isa) { return &row_of(isa).table; }

}  // namespace cppgen::rt
