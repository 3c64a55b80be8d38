#include "runtime/contraction/tiles.h"
#include "vec/avx512/vec.h"

#define TILE_ISA avx512
#define TILE_FN VEC_FN

namespace cppgen::rt::TILE_ISA {

typedef vec::V<float> Vector;
constexpr int kLanes = vec::L;
constexpr int kPrefetchSteps = 16;

TILE_FN Vector load(const float* p) { return vec::load<float>(p); }
TILE_FN void store(float* p, Vector x) { vec::store<float>(p, x); }
TILE_FN Vector splat(float x) { return vec::set1<float>(x); }
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return vec::fma(a, b, c); }
TILE_FN void prefetch(const float* p) {
  vec::prefetch(p);
  vec::prefetch(p + 16);
}

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/tile_body.h"

namespace cppgen::rt::avx512 {
const TileFunction tile_f32[kTileRows + 1] = {nullptr,  tile<1>,  tile<2>,  tile<3>,  tile<4>,
                                              tile<5>,  tile<6>,  tile<7>,  tile<8>,  tile<9>,
                                              tile<10>, tile<11>, tile<12>, tile<13>, tile<14>};
}  // namespace cppgen::rt::avx512
