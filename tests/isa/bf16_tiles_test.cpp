// Tiles of pairs of bfloat16, emulated and on AVX512_BF16, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "isa/cpu_features.h"
#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/tiles.h"

namespace {

using namespace cppgen;
using namespace cppgen::rt;

constexpr int kTileRows = 14, kTileColumns = 32;

struct alignas(64) PanelStep {
  uint16_t values[kTileColumns][2];
};

uint16_t random_bfloat(std::mt19937_64& random) {
  return f32_to_bf16(std::ldexp(float(int64_t(random() % 2001) - 1000), int(random() % 8) - 12));
}

// Fused multiply-adds, of each pair the second first.
float expected(const std::vector<const void*>& left, long rows, long r, long taps, long K,
               const std::vector<PanelStep>& panel, int j) {
  float sum = 0;
  for (long t = 0; t < taps; t++)
    for (long k = 0; k < K; k += 2) {
      const auto* row = static_cast<const uint16_t*>(left[size_t(t * rows + r)]);
      const PanelStep& step = panel[size_t(t * ((K + 1) / 2) + k / 2)];
      if (k + 1 < K) sum = std::fma(bf16_to_f32(row[k + 1]), bf16_to_f32(step.values[j][1]), sum);
      sum = std::fma(bf16_to_f32(row[k]), bf16_to_f32(step.values[j][0]), sum);
    }
  return sum;
}

void check(const TileSet& tiles, long rows, long taps, long K) {
  std::mt19937_64 random(uint64_t(rows * 1000 + taps * 100 + K));
  // The element after a row is a NaN.
  std::vector<std::vector<uint16_t>> data(size_t(taps * rows), std::vector<uint16_t>(size_t(K) + 1, 0x7fc0));
  std::vector<const void*> left;
  for (auto& row : data) {
    for (long k = 0; k < K; k++) row[size_t(k)] = random_bfloat(random);
    left.push_back(row.data());
  }
  std::vector<PanelStep> panel(size_t(taps * ((K + 1) / 2)) + 1);
  for (long t = 0; t < taps; t++)
    for (long k = 0; k < K; k++)
      for (auto& column : panel[size_t(t * ((K + 1) / 2) + k / 2)].values) column[k % 2] = random_bfloat(random);
  constexpr long kDistance = kTileColumns + 3;
  std::vector<float> c(size_t(rows * kDistance), 99.0f);
  tiles.functions[rows](left.data(), taps, K, panel.data(), c.data(), kDistance, 0);
  for (long r = 0; r < rows; r++) {
    for (int j = 0; j < kTileColumns; j++)
      ASSERT_EQ(c[size_t(r * kDistance + j)], expected(left, rows, r, taps, K, panel, j))
          << rows << " x " << taps << " x " << K << " at " << r << ", " << j;
    for (long j = kTileColumns; j < kDistance; j++) ASSERT_EQ(c[size_t(r * kDistance + j)], 99.0f);
  }
}

TEST(BFloatTiles, SumPairsInOrder) {
  std::vector<const TileSet*> sets{&emulated_amx::tiles_bf16};
  if (detect_cpu_features().has(CpuFeature::avx512_bf16)) sets.push_back(&avx512_bf16::tiles_bf16);
  for (const TileSet* tiles : sets) {
    for (long rows = 1; rows <= kTileRows; rows++)
      for (long taps : {1L, 3L})
        for (long K : {0L, 1L, 2L, 7L, 8L, 9L, 15L, 16L, 17L, 33L}) check(*tiles, rows, taps, K);
    check(*tiles, kTileRows, 49, 3);
    check(*tiles, kTileRows, 1, 1000);
  }
}

}  // namespace
