#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512
#include "runtime/contraction/tile_vec.h"
#include "runtime/contraction/widen_rows.h"
#include "runtime/contraction/winograd_products.h"
#include "runtime/contraction/winograd_transform.h"

namespace cppgen::rt::avx512 {
const TileSet tiles_f32 = tile_set<14, 2>();
const StridedTileSet strided_f32 = strided_set<14, 2>();
const WinogradSet winograd_forms = winograd_set(patch_products<14, 2>, patch_products<9, 3>, patch_products<28, 1>);
const TileSet tiles_f32_wide = tile_set<9, 3>();
const TileSet tiles_f32_narrow = tile_set<28, 1>();
const TileSet tiles_f32_of_f16 = tile_set<14, 2>(widen_rows<vec::f16>);
const TileSet tiles_f32_of_bf16 = tile_set<14, 2>(widen_rows<vec::bf16>);
const TileSet tiles_f32_copied = tile_set<14, 2>(widen_rows<float>);
const TileSet tiles_f32_matrix = matrix_set<14, 14, 9>();
const TileSet tiles_f64 = tile_set_f64<14, 1>();
const TileSet tiles_f64_copied = tile_set_f64<14, 1>(widen_rows<double, double>);
}  // namespace cppgen::rt::avx512
