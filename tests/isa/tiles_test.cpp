// The contraction tiles of every ISA that this CPU runs, panel packing, and the kernels' runtime table.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "runtime/base/errors.h"
#include "runtime/contraction/long_sums.h"
#include "runtime/contraction/tile.h"
#include "tests/isa/guarded_memory.h"
#include "tests/isas_to_test.h"

namespace {

using namespace cppgen::rt;

struct Free {
  void operator()(float* p) const { std::free(p); }
};
std::unique_ptr<float[], Free> aligned_floats(size_t count) {
  return std::unique_ptr<float[], Free>(static_cast<float*>(std::aligned_alloc(64, (count * 4 + 127) / 64 * 64)));
}

std::vector<float> random_floats(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> v(count);
  for (float& x : v) x = uniform(random);
  return v;
}

// The documented order: one accumulator per output and block of K (long_sums.h), products fused except for the
// scalar ISA. The sums here have one block, or less than a group of them.
float expected(const std::vector<const float*>& a, int rows, int r, long taps, long k, const float* b, int slice, int j,
               bool fused) {
  const long block = k <= kWholeTerms ? kWholeTerms : kBlockTerms, taps_of_block = k > 0 ? block / k : 1;
  float total = 0, sum = 0;
  for (long t = 0; t < taps; t++) {
    for (long kk = 0; kk < k; kk++) {
      const bool new_block = kk == 0 ? taps_of_block == 0 || t % taps_of_block == 0 : kk % block == 0;
      if (new_block) total += sum, sum = 0;
      const float x = a[size_t(t * rows + r)][kk], y = b[(j / slice * taps * k + t * k + kk) * slice + j % slice];
      sum = fused ? std::fma(x, y, sum) : x * y + sum;
    }
  }
  return total + sum;
}

constexpr TileFormat kFloatFormats[] = {TileFormat::f32, TileFormat::f32_wide, TileFormat::f32_narrow};

// Where the rows of each tap begin. They overlap, as those of a convolution's taps. If `even`, those of every second
// tap are equally far apart, forwards or backwards; the others are in no order.
std::vector<long> row_starts(int rows, long taps, bool even) {
  std::vector<long> at;
  for (long t = 0; t < taps; t++)
    for (long r = 0; r < rows; r++)
      at.push_back(even && t % 2 == 0 ? (t % 4 == 0 ? 2 * r : 60 - 2 * r) : (t * rows + r) * 13 % 61);
  return at;
}

void check_tile(const cppgen::VecISA& isa, TileFormat format, int rows, long taps, long k, bool even) {
  const TileShape shape = tile_shape(isa.name, format);
  const std::vector<float> data = random_floats(size_t(k) + 64, 7);
  std::vector<const float*> a;
  for (long at : row_starts(rows, taps, even)) a.push_back(&data[size_t(at)]);
  auto b = aligned_floats(size_t(taps * k * shape.nr));
  const std::vector<float> values = random_floats(size_t(taps * k * shape.nr), 8);
  std::copy(values.begin(), values.end(), b.get());
  const long ldc = shape.nr + 3;
  std::vector<float> c(size_t(rows * ldc), 99.0f);
  const std::vector<const void*> left(a.begin(), a.end());
  const long ahead = rows % 2 * 4096;  // what is prefetched need not exist
  runtime_table(isa.name)->tiles[size_t(format)][rows](left.data(), taps, k, b.get(), c.data(), ldc, ahead);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < ldc; j++) {
      const float want = j < shape.nr ? expected(a, rows, r, taps, k, b.get(), slice_columns(format, shape.nr), j,
                                                 isa.name != "scalar")
                                      : 99.0f;
      const bool beyond_c = r == rows - 1 && j >= shape.nr;
      if (beyond_c) continue;
      ASSERT_EQ(c[size_t(r * ldc + j)], want) << isa.name << " " << info(format).name << " rows " << rows << " taps "
                                              << taps << " k " << k << " even " << even << " at " << r << "," << j;
    }
}

void check_tile(const cppgen::VecISA& isa, TileFormat format, int rows, long taps, long k) {
  for (const bool even : {false, true}) check_tile(isa, format, rows, taps, k, even);
}

TEST(Tiles, EveryRowCountSumsInOrder) {
  int vector_isas = 0;
  for (const cppgen::VecISA* isa : isas_to_test()) {
    vector_isas += isa->lanes > 1;
    for (TileFormat format : kFloatFormats) {
      const int most = tile_shape(isa->name, format).mr;
      for (int rows = 1; rows <= most; rows++)
        for (long taps : {1L, 3L})
          for (long k : {0L, 1L, 2L, 3L, 4L, 5L, 7L, 8L, 33L}) check_tile(*isa, format, rows, taps, k);
      if (most == 0) continue;
      check_tile(*isa, format, most, 49, 3);
      check_tile(*isa, format, most, 1, 1000);
      check_tile(*isa, format, most, 3, 1030);
      check_tile(*isa, format, most, 9, 200);
      check_tile(*isa, format, most, 1, 1152);
    }
  }
  const bool has_vectors = cppgen::best_isa(cppgen::detect_cpu_features()).lanes > 1;
  EXPECT_EQ(vector_isas > 0, has_vectors);
}

void check_matrix_tile(const cppgen::VecISA& isa, int rows, long columns, long k, bool even) {
  const std::vector<float> data = random_floats(size_t(k) + 64, 7);
  std::vector<const float*> a;
  for (long at : row_starts(rows, 1, even)) a.push_back(&data[size_t(at)]);
  const long distance = columns + 5, ldc = 64;
  const size_t count = k == 0 ? 0 : size_t((k - 1) * distance + columns);
  vec_test::GuardedMemory memory(count * sizeof(float));
  auto* const b = static_cast<float*>(memory.ending(count * sizeof(float)));
  const std::vector<float> values = random_floats(count, 8);
  std::copy(values.begin(), values.end(), b);
  std::vector<float> c(size_t(rows * ldc), 99.0f);
  const std::vector<const void*> left(a.begin(), a.end());
  runtime_table(isa.name)->tiles[size_t(TileFormat::f32_matrix)][rows](left.data(), 1, k, b, c.data(), ldc,
                                                                       distance * kMatrixPlace + columns);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < columns; j++)
      ASSERT_EQ(c[size_t(r * ldc + j)], expected(a, rows, r, 1, k, b, int(distance), j, isa.name != "scalar"))
          << isa.name << " rows " << rows << " columns " << columns << " k " << k << " even " << even << " at " << r
          << "," << j;
}

TEST(Tiles, AMatrixInPlaceIsReadUpToItsColumns) {
  for (const cppgen::VecISA* isa : isas_to_test()) {
    const TileShape shape = tile_shape(isa->name, TileFormat::f32_matrix);
    for (int rows = 1; rows <= shape.mr; rows++)
      for (long columns = 1; columns <= shape.nr; columns++)
        for (long k : {0L, 1L, 2L, 33L}) check_matrix_tile(*isa, rows, columns, k, columns % 2 == 0);
    for (long columns : {1L, long(shape.nr)})
      for (long k : {1152L, 1153L, 20'000L}) check_matrix_tile(*isa, shape.mr, columns, k, true);
  }
}

// One accumulator for all taps; a tap whose first row is null is skipped. With copied rows, too.
void check_double_tile(const cppgen::VecISA& isa, TileFormat format, int rows, long taps, long k) {
  SCOPED_TRACE(testing::Message() << isa.name << " " << info(format).name << " rows " << rows << " k " << k);
  const int columns = tile_shape(isa.name, format).nr;
  const std::vector<float> data = random_floats(size_t(k) + 64, 7),
                           panel = random_floats(size_t(taps * k * columns), 8);
  const std::vector<double> a(data.begin(), data.end()), b(panel.begin(), panel.end());
  std::vector<const void*> left;
  for (long i = 0; i < taps * rows; i++) left.push_back(i / rows == 1 ? nullptr : &a[size_t(i * 13 % 61)]);
  const cppgen_runtime* table = runtime_table(isa.name);
  std::vector<const void*> prepared = left;
  const auto scratch = aligned_floats(size_t(prepared_bytes(format, rows, taps, k) / 4));
  if (taps == 1 && table->prepare[size_t(format)])
    table->prepare[size_t(format)](left.data(), rows, taps, k, scratch.get(), prepared.data());
  const long ldc = columns + 3;
  std::vector<double> c(size_t(rows * ldc), 99.0);
  table->tiles[size_t(format)][rows](prepared.data(), taps, k, b.data(), c.data(), ldc, 0);
  for (int r = 0; r < rows; r++)
    for (int j = 0; j < columns; j++) {
      double want = 0;
      for (long t = 0; t < taps; t++)
        for (long kk = 0; t != 1 && kk < k; kk++) {
          const double x = static_cast<const double*>(left[size_t(t * rows + r)])[kk];
          const double y = b[size_t((t * k + kk) * columns + j)];
          want = isa.name != "scalar" ? std::fma(x, y, want) : x * y + want;
        }
      ASSERT_EQ(c[size_t(r * ldc + j)], want) << "at " << r << "," << j;
    }
}

TEST(Tiles, DoublesHaveOneSum) {
  for (const cppgen::VecISA* isa : isas_to_test())
    for (TileFormat format : {TileFormat::f64, TileFormat::f64_copied})
      for (int rows = 1; rows <= tile_shape(isa->name, format).mr; rows++)
        for (long taps : {1L, 3L})
          for (long k : {0L, 1L, 2L, 7L, 33L, 1300L}) check_double_tile(*isa, format, rows, taps, k);
}

TEST(Tiles, ShapesAndTables) {
  for (const cppgen::VecISA& isa : cppgen::all_isas()) {
    const cppgen_runtime* table = runtime_table(isa.name);
    EXPECT_NE(tile_shape(isa.name, TileFormat::f32), TileShape()) << isa.name;
    for (size_t f = 0; f < kTileFormatCount; f++) {
      const TileShape shape = tile_shape(isa.name, TileFormat(f));
      EXPECT_EQ(shape.nr % isa.lanes, 0);
      EXPECT_EQ(table->tiles[f] == nullptr, shape == TileShape());
      if (!table->tiles[f]) continue;
      const bool unpacks = info(TileFormat(f)).name.starts_with("n_bits") && TileFormat(f) != TileFormat::n_bits_of_i8;
      EXPECT_EQ(table->tiles[f][0] != nullptr, unpacks);
      for (int rows = 1; rows <= shape.mr; rows++) EXPECT_NE(table->tiles[f][rows], nullptr);
    }
  }
  // Each has the formats of the one that it extends.
  for (const cppgen::VecISA& isa : cppgen::all_isas())
    for (size_t f = 0; f < kTileFormatCount && !isa.base.empty(); f++)
      if (tile_shape(isa.base, TileFormat(f)) != TileShape())
        EXPECT_NE(tile_shape(isa.name, TileFormat(f)), TileShape()) << isa.name << ' ' << info(TileFormat(f)).name;
  if (const cppgen::VecISA* amx = cppgen::matrix_tile_isa()) {
    EXPECT_EQ(tile_shape(amx->name, TileFormat::f32), tile_shape("avx512", TileFormat::f32));
  }
  EXPECT_THROW(tile_shape("none", TileFormat::f32), cppgen::InternalError);
  EXPECT_THROW(runtime_table("none"), cppgen::InternalError);
}

TEST(Tiles, RuntimeTableHasTheMathFunctionsInOrder) {
  const cppgen_runtime* table = runtime_table("scalar");
  int index = 0;
#define MATH(name)                                                      \
  for (double x : {0.75, 1.25}) {                                       \
    const double got = table->unary_f64[index](x), want = std::name(x); \
    EXPECT_TRUE(got == want || (got != got && want != want)) << #name;  \
  }                                                                     \
  index++;
#include "runtime/abi/math_functions.def"
#undef MATH
  EXPECT_EQ(table->pow_f64(2.5, 3.5), std::pow(2.5, 3.5));
  EXPECT_EQ(table->fmod_f64(7.5, -2.0), std::fmod(7.5, -2.0));
}

// Every format whose panels hold the operand's own values: each element in its place, zeros around.
template <class T>
void check_packing(TileFormat format, int nr, long n, long k, long k_stride, long n_stride) {
  const int group = info(format).k_group;
  const long steps = (k + group - 1) / group, panels = (n + nr - 1) / nr, gap = 64;
  const std::vector<float> values = random_floats(size_t((k + 1) * k_stride + (n + 1) * n_stride + 1), 5);
  std::vector<T> b;
  for (float v : values) b.push_back(T(int(v * 100)));
  ASSERT_EQ(panel_tap_elements(format, k, nr), steps * group * nr);
  const long panel_stride = panel_tap_elements(format, k, nr) + gap;
  std::vector<T> out(size_t(panels * panel_stride), T(99));
  pack_tap(format, {b.data(), k, n, k_stride, n_stride}, nr, panel_stride, out.data());
  for (long panel = 0; panel < panels; panel++)
    for (long i = 0; i < panel_stride; i++) {
      const long kk = i / (nr * group) * group + i % group, j = panel * nr + i / group % nr;
      T want = i >= panel_stride - gap ? T(99) : kk < k && j < n ? b[size_t(kk * k_stride + j * n_stride)] : T(0);
      ASSERT_EQ(out[size_t(panel * panel_stride + i)], want) << nr << " " << n << " " << k << " " << panel << " " << i;
    }
}

TEST(PackTap, AnyStrides) {
  for (size_t f = 0; f < kTileFormatCount; f++) {
    const TileFormatInfo& format = info(TileFormat(f));
    if (format.right != format.panel) continue;
    for (int nr : {8, 16, 32})
      for (long n : {1L, 7L, 8L, 32L, 33L, 70L})
        for (long k : {0L, 1L, 5L, 16L, 40L})
          for (const auto& [k_stride, n_stride] : {std::pair{n, 1L}, {n + 3, 1L}, {1L, k}, {2L, 2 * k + 1}}) {
            if (size_of(format.panel) == 1) check_packing<int8_t>(TileFormat(f), nr, n, k, k_stride, n_stride);
            if (size_of(format.panel) == 2) check_packing<uint16_t>(TileFormat(f), nr, n, k, k_stride, n_stride);
            if (size_of(format.panel) == 4) check_packing<float>(TileFormat(f), nr, n, k, k_stride, n_stride);
            if (size_of(format.panel) == 8) check_packing<double>(TileFormat(f), nr, n, k, k_stride, n_stride);
          }
  }
}

}  // namespace
