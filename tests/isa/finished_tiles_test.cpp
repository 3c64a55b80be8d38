// Tiles that finish their results: every ISA that this CPU runs and has them, every width, end and number of rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "isa/vec_isa.h"
#include "runtime/contraction/formats.h"
#include "tests/isa/guarded_memory.h"
#include "tests/isas_to_test.h"
#include "vec/generic/tile_ends.h"

namespace vec {
namespace avx2 {
extern const FinishedTiles finished_tiles;
}
namespace avx512 {
extern const FinishedTiles finished_tiles;
}
}  // namespace vec

namespace {

using vec::kTileEnds;
using vec::TileActivation;
using vec::TileEnd;
using vec::TileTerms;

constexpr long kSkipped = 1;  // a tap without rows, where these are pointers
constexpr float kScale = 1.0f / 6, kOffset = 0.5f, kMost = 1;

constexpr int kSliceColumns = 16;  // vec/generic/product.h

const vec::FinishedTiles& tiles_of(const cppgen::VecISA& isa) {
  return isa.folder == "avx2" ? vec::avx2::finished_tiles : vec::avx512::finished_tiles;
}

// The rows of the runtime's tiles, which the scheduler chooses from.
int most_rows(std::string_view isa, int vectors) {
  using cppgen::rt::TileFormat;
  constexpr TileFormat kFormats[] = {TileFormat::f32_narrow, TileFormat::f32, TileFormat::f32_wide};
  return cppgen::rt::tile_shape(isa, kFormats[vectors - 1]).mr;
}

// Floats before memory that must not be touched.
class Floats {
 public:
  explicit Floats(size_t count, uint64_t seed) : memory_(count * sizeof(float)), count_(count) {
    data = static_cast<float*>(memory_.ending(count * sizeof(float)));
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> uniform(-2, 2);
    for (size_t i = 0; i < count_; i++) data[i] = uniform(random);
  }
  float* data;

 private:
  vec_test::GuardedMemory memory_;
  size_t count_;
};

float max_of(float x, float bound) { return std::isnan(x) ? x : std::max(x + 0.0f, bound); }
float min_of(float x, float bound) { return std::isnan(x) ? x : std::min(x, bound); }

float finished(TileEnd end, float sum, float term, float value) {
  float x = sum;
  if (end.terms != TileTerms::none) x += term;
  if (end.terms == TileTerms::columns_and_values) x += value;
  switch (end.activation) {
    case TileActivation::relu:
      return max_of(x, 0);
    case TileActivation::clip:
      return min_of(max_of(x, 0), kMost);
    case TileActivation::hard_swish: {
      const float product = x * kScale;
      return x * max_of(min_of(product + kOffset, kMost), 0);
    }
    default:
      return x;
  }
}

struct Case {
  const cppgen::VecISA& isa;
  bool even_rows;
  int vectors, end, rows;
  long columns, taps, k;
};

// Rows are closer than they are long, as those of a convolution; results and values have other distances.
void check(const Case& c) {
  SCOPED_TRACE(testing::Message() << c.isa.name << " even " << c.even_rows << " vectors " << c.vectors << " end "
                                  << c.end << " rows " << c.rows << " columns " << c.columns << " taps " << c.taps
                                  << " k " << c.k);
  const TileEnd end = kTileEnds[c.end];
  const int nr = c.vectors * c.isa.lanes, slice = nr % kSliceColumns == 0 ? kSliceColumns : nr;
  const long distance = 3, offsets[] = {1, 7}, to_distance = c.columns + 2, values_distance = c.columns + 1;
  const auto span = [&](long row) { return size_t((c.rows - 1) * row + c.columns); };
  Floats left(size_t(7 + c.rows * distance + c.k), 1), terms(size_t(c.columns), 2), values(span(values_distance), 3),
      to(span(to_distance), 4);
  left.data[2] = std::numeric_limits<float>::quiet_NaN();
  const size_t panel_size = size_t(c.taps * c.k * nr);
  auto* const panel = static_cast<float*>(std::aligned_alloc(64, panel_size * sizeof(float) + 64));
  for (size_t i = 0; i < panel_size; i++) panel[i] = float(int(i * 7 % 31) - 15) / 16;
  const std::vector<float> before(to.data, to.data + span(to_distance));

  const bool adds = end.terms != TileTerms::none, adds_values = end.terms == TileTerms::columns_and_values;
  const vec::TileResults given{adds ? terms.data : nullptr,
                               adds_values ? values.data : nullptr,
                               to.data,
                               adds_values ? values_distance : 0,
                               to_distance,
                               c.columns,
                               kScale,
                               kOffset,
                               kMost};
  std::vector<const void*> rows;
  for (long t = 0; t < c.taps; t++)
    for (long r = 0; r < c.rows; r++) rows.push_back(t == kSkipped ? nullptr : left.data + offsets[t] + r * distance);
  const auto& tile = *tiles_of(c.isa).of_rows[vec::finished_number(c.even_rows, c.vectors, c.end)][c.rows];
  if (c.even_rows)
    tile(left.data, distance, offsets, c.taps, c.k, panel, c.rows % 2 * 4096, &given);
  else
    tile(rows.data(), 0, nullptr, c.taps, c.k, panel, c.rows % 2 * 4096, &given);

  for (long r = 0; r < c.rows; r++)
    for (long j = 0; j < std::min<long>(to_distance, long(before.size()) - r * to_distance); j++) {
      const float got = to.data[r * to_distance + j];
      if (j >= c.columns) {
        ASSERT_EQ(got, before[size_t(r * to_distance + j)]) << "written beyond the columns of row " << r;
        continue;
      }
      float sum = 0;
      for (long t = 0; t < (c.even_rows ? c.taps : std::min(c.taps, kSkipped)); t++)
        for (long k = 0; k < c.k; k++)
          sum = std::fma(left.data[offsets[t] + r * distance + k],
                         panel[(j / slice * c.taps * c.k + t * c.k + k) * slice + j % slice], sum);
      const float want = finished(end, sum, terms.data[j], adds_values ? values.data[r * values_distance + j] : 0);
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got)) << r << "," << j;
      else
        ASSERT_EQ(got, want) << r << "," << j;
    }
  std::free(panel);
}

TEST(FinishedTiles, EveryEndAndNumberOfRowsAndColumns) {
  for (const cppgen::VecISA* isa : isas_to_test()) {
    if (!cppgen::has_finished_tiles(*isa)) continue;
    for (int number = 0; number < vec::kFinishedTiles; number++) {
      const auto& of_rows = tiles_of(*isa).of_rows[number];
      const bool even_rows = number < vec::kFinishedVectors * vec::kTileEndCount;
      const int vectors = number / vec::kTileEndCount % vec::kFinishedVectors + 1, end = number % vec::kTileEndCount;
      const int nr = vectors * isa->lanes, most = most_rows(isa->name, vectors);
      for (int rows = 1; rows <= most; rows++) {
        ASSERT_NE(of_rows[rows], nullptr);
        for (long columns = 1; columns <= nr; columns += rows == most ? 1 : 7)
          check({*isa, even_rows, vectors, end, rows, columns, 1, 5});
        check({*isa, even_rows, vectors, end, rows, nr, 2, 33});
      }
    }
  }
}

TEST(FinishedTiles, ExistWhereThereAreVectorsOfTheirOwn) {
  EXPECT_FALSE(cppgen::has_finished_tiles(*cppgen::find_isa("scalar")));
  for (const char* isa : {"avx2", "avx512", "avx512_bf16", "amx"})
    EXPECT_TRUE(cppgen::has_finished_tiles(*cppgen::find_isa(isa))) << isa;
}

}  // namespace
