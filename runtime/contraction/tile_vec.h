// tile_body.h over the vectors of vec/, for translation units that define TILE_ISA and include vec/<isa>/vec.h before.
#pragma once

#define TILE_FN VEC_FN

namespace cppgen::rt::TILE_ISA {

typedef vec::V<float> Vector;
constexpr int kLanes = vec::L;
using TileUnit = vec::FloatUnit;
struct DoubleUnit : vec::ProductUnit<double> {
  TILE_FN void store(double* p, Vector x) { vec::store<double>(p, x); }
};

TILE_FN Vector load(const float* p) { return vec::load<float>(p); }
TILE_FN Vector load_first(const float* p, int n) { return vec::load<float>(p, n); }
TILE_FN void store(float* p, Vector x) { vec::store<float>(p, x); }
TILE_FN Vector splat(float x) { return vec::set1<float>(x); }
TILE_FN bool has_nan(Vector x) { return vec::any(vec::is_nan(x)); }
TILE_FN Vector multiply_add(Vector a, Vector b, Vector c) { return vec::fma(a, b, c); }

}  // namespace cppgen::rt::TILE_ISA

#include "runtime/contraction/tile_body.h"
#include "runtime/contraction/tile_f64.h"
