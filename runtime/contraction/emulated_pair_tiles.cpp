// Tiles of pairs of bfloat16 as AVX512_BF16 computes them (tiles.h), on every CPU and slowly, for tests. Their sums are
// not divided.
#include <array>
#include <cmath>
#include <utility>

#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/tiles.h"

namespace cppgen::rt::emulated_amx {
namespace {

constexpr int kPairRows = 14, kPairColumns = 32;

float without_denormals(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float added_product(uint16_t a, uint16_t b, float sum) {
  return without_denormals(std::fma(without_denormals(bf16_to_f32(a)), without_denormals(bf16_to_f32(b)), sum));
}

float sum_of_pairs(const void* const* left, long rows, long taps, long K, const uint16_t* panel) {
  float sum = 0;
  for (long t = 0; t < taps; t++) {
    const auto* row = static_cast<const uint16_t*>(left[t * rows]);
    for (long k = 0; k < K; k += 2, panel += 2 * kPairColumns) {
      if (k + 1 < K) sum = added_product(row[k + 1], panel[1], sum);
      sum = added_product(row[k], panel[0], sum);
    }
  }
  return sum;
}

template <size_t Rows>
void pair_tile(const void* const* left, long taps, long K, const void* panel, void* block, long ldc, long) {
  for (size_t r = 0; r < Rows; r++)
    for (int j = 0; j < kPairColumns; j++)
      static_cast<float*>(block)[long(r) * ldc + j] =
          sum_of_pairs(left + r, long(Rows), taps, K, static_cast<const uint16_t*>(panel) + 2 * j);
}

template <size_t... Rows>
constexpr std::array<TileFunction, kPairRows + 1> pair_tiles(std::index_sequence<Rows...>) {
  return {nullptr, pair_tile<Rows + 1>...};
}
constexpr auto kPairTiles = pair_tiles(std::make_index_sequence<kPairRows>());

void round_rows(const void* const* left, long rows, long taps, long K, void* scratch, const void** prepared) {
  for (long i = 0; i < rows * taps; i++) {
    auto* to = reinterpret_cast<uint16_t*>(static_cast<char*>(scratch) + i * prepared_row_bytes(K, 2));
    for (long k = 0; k < K; k++) to[k] = f32_to_bf16(static_cast<const float*>(left[i])[k]);
    prepared[i] = to;
  }
}

}  // namespace

const TileSet tiles_bf16 = {kPairRows, kPairColumns, kPairTiles.data()};
const TileSet tiles_bf16_of_f32 = {kPairRows, kPairColumns, kPairTiles.data(), round_rows};

}  // namespace cppgen::rt::emulated_amx
