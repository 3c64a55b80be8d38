// Baseline x86-64: its 128-bit vectors without a fused multiply-add.
#include "runtime/contraction/tiles.h"
#include "vec/scalar/vec.h"

#define TILE_ISA scalar
#define TILE_FN static inline __attribute__((always_inline))

namespace cppgen::rt::TILE_ISA {

typedef float Vector __attribute__((vector_size(16)));
typedef float UnalignedVector __attribute__((vector_size(16), aligned(4), may_alias));
constexpr int kLanes = 4;

TILE_FN Vector load(const float* p) { return *(const UnalignedVector*)p; }
TILE_FN Vector load_first(const float* p, int n) {
  Vector x{};
  for (int i = 0; i < n; i++) x[i] = p[i];
  return x;
}
TILE_FN void store(float* p, Vector x) { *(UnalignedVector*)p = x; }
TILE_FN Vector splat(float x) { return Vector{x, x, x, x}; }
TILE_FN bool has_nan(Vector x) {
  float sum = 0;
  for (int i = 0; i < kLanes; i++) sum += x[i];
  return sum != sum;
}
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }

struct TileUnit {
  typedef float Vector __attribute__((vector_size(16)));
  static constexpr int kLanes = 4;
  TILE_FN Vector load(const float* p) { return scalar::load(p); }
  TILE_FN Vector splat(float x) { return scalar::splat(x); }
  TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
};

struct DoubleUnit {
  typedef double Vector __attribute__((vector_size(16)));
  typedef double UnalignedVector __attribute__((vector_size(16), aligned(8), may_alias));
  static constexpr int kLanes = 2;
  TILE_FN Vector load(const double* p) { return *(const UnalignedVector*)p; }
  TILE_FN void store(double* p, Vector x) { *(UnalignedVector*)p = x; }
  TILE_FN Vector splat(double x) { return Vector{x, x}; }
  TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return a * b + c; }
};

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/tile_body.h"
#include "runtime/contraction/tile_f64.h"
#include "runtime/contraction/widen_rows.h"
#include "runtime/contraction/winograd_products.h"
#include "runtime/contraction/winograd_transform.h"

namespace cppgen::rt::scalar {
const TileSet tiles_f32 = tile_set<4, 2>();
const StridedTileSet strided_f32 = strided_set<4, 2>();
const WinogradSet winograd_forms = winograd_set(patch_products<4, 2>);
const TileSet tiles_f32_of_f16 = tile_set<4, 2>(widen_rows<vec::f16>);
const TileSet tiles_f32_of_bf16 = tile_set<4, 2>(widen_rows<vec::bf16>);
const TileSet tiles_f32_copied = tile_set<4, 2>(widen_rows<float>);
const TileSet tiles_f32_matrix = matrix_set<4, 4, 2>();
const TileSet tiles_f64 = tile_set_f64<4, 2>();
const TileSet tiles_f64_copied = tile_set_f64<4, 2>(widen_rows<double, double>);
}  // namespace cppgen::rt::scalar
