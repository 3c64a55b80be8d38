// float32 contractions on matrix tiles, from parts in bfloat16, on the emulated tile unit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/base/narrow_floats.h"
#include "runtime/contraction/pack_split.h"
#include "runtime/contraction/split_layout.h"
#include "runtime/contraction/tiles.h"

namespace {

using namespace cppgen::rt;
constexpr long kSide = split::kBlockSide;

struct alignas(64) Line {
  char bytes[64];
};
using Lines = std::vector<Line>;
Lines lines(long bytes) { return Lines(size_t(bytes + 63) / 64); }

// One block: rows of taps x k elements, and 32 columns.
struct Case {
  long rows, taps, k;
  std::vector<float> left, right;  // [tap][row][k], [tap * k][32]

  Case(long rows, long taps, long k)
      : rows(rows), taps(taps), k(k), left(size_t(taps * rows * k)), right(size_t(taps * k * kSide)) {}
  long total() const { return taps * k; }
  float a(long r, long at) const { return left[size_t(at / k * rows * k + r * k + at % k)]; }
  float b(long k, long j) const { return right[size_t(k * kSide + j)]; }
};

const TileSet kTiles[] = {{}, emulated_amx::tiles_split1, emulated_amx::tiles_split2, emulated_amx::tiles_split3};

constexpr long kDistance = kSide + 4;

// Multiplies the case into the block, or adds to it.
void multiply(const Case& c, int parts, bool adds, std::vector<float>& block) {
  Lines panel = lines(split::panel_bytes(c.total(), parts)), prepared = lines(split::rows_bytes(c.total(), parts));
  pack_split_panel(c.right.data(), c.total(), parts, panel.data());
  std::vector<const void*> rows;
  for (long i = 0; i < c.taps * c.rows; i++) rows.push_back(c.left.data() + i * c.k);
  const TileSet& tiles = kTiles[parts];
  const void* first = nullptr;
  tiles.prepare(rows.data(), c.rows, c.taps, c.k, prepared.data(), &first);
  tiles.begin();
  tiles.functions[c.rows + (adds ? tiles.mr : 0)](&first, c.taps, c.k, panel.data(), block.data(), kDistance, 0);
  tiles.finish();
}

std::vector<float> run(const Case& c, int parts) {
  std::vector<float> block(size_t(kSide * kDistance), 99.0f);
  multiply(c, parts, false, block);
  std::vector<float> out;
  for (long r = 0; r < c.rows; r++) {
    for (long j = 0; j < kSide; j++) out.push_back(block[size_t(r * kDistance + j)]);
    for (long j = kSide; j < kDistance; j++) EXPECT_EQ(block[size_t(r * kDistance + j)], 99.0f);
  }
  return out;
}

std::vector<float> fused(const Case& c) {
  std::vector<float> out;
  for (long r = 0; r < c.rows; r++)
    for (long j = 0; j < kSide; j++) {
      float sum = 0;
      for (long k = 0; k < c.total(); k++) sum = std::fma(c.a(r, k), c.b(k, j), sum);
      out.push_back(sum);
    }
  return out;
}

// Errors against float64, as parts of the sum of magnitudes.
struct Error {
  double square = 0, largest = 0;
  double rms(size_t count) const { return std::sqrt(square / double(count)); }
};

Error error_of(const Case& c, const std::vector<float>& got) {
  Error error;
  size_t i = 0;
  for (long r = 0; r < c.rows; r++)
    for (long j = 0; j < kSide; j++, i++) {
      double sum = 0, magnitude = 0;
      for (long k = 0; k < c.total(); k++) {
        const double product = double(c.a(r, k)) * c.b(k, j);
        sum += product, magnitude += std::abs(product);
      }
      if (magnitude == 0) continue;
      const double e = std::abs(got[i] - sum) / magnitude;
      error.square += e * e, error.largest = std::max(error.largest, e);
    }
  return error;
}

using Random = std::mt19937_64;

void fill_uniform(Case& c, Random& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (auto* v : {&c.left, &c.right})
    for (float& x : *v) x = uniform(random);
}

// Magnitudes over 40 binary places.
void fill_scaled(Case& c, Random& random) {
  fill_uniform(c, random);
  for (auto* v : {&c.left, &c.right})
    for (float& x : *v) x = std::ldexp(x < 0 ? x - 0.5f : x + 0.5f, int(random() % 40) - 20);
}

// The second half of K takes away most of what the first adds.
void fill_cancelling(Case& c, Random& random) {
  fill_uniform(c, random);
  const long half = c.k / 2;
  for (long t = 0; t < c.taps; t++)
    for (long k = 0; k < half; k++) {
      for (long r = 0; r < c.rows; r++) {
        float* row = &c.left[size_t((t * c.rows + r) * c.k)];
        row[half + k] = -row[k] * (1 + 0x1p-12f);
      }
      for (long j = 0; j < kSide; j++) {
        float* column = &c.right[size_t(t * c.k * kSide + j)];
        column[(half + k) * kSide] = column[k * kSide];
      }
    }
}

const std::pair<const char*, void (*)(Case&, Random&)> kData[] = {
    {"uniform", fill_uniform}, {"scaled", fill_scaled}, {"cancelling", fill_cancelling}};

struct Shape {
  long rows, taps, k;
};
const Shape kShapes[] = {{1, 1, 16},   {15, 1, 31},    {16, 1, 32}, {17, 1, 33}, {31, 1, 64}, {32, 1, 100},
                         {32, 1, 256}, {33 - 1, 9, 7}, {5, 9, 32},  {17, 49, 3}, {32, 3, 65}, {32, 1, 768}};

TEST(SplitTiles, ThreePartsErrNoMoreThanFusedMultiplyAdd) {
  Random random(1);
  double ours = 0, theirs = 0;
  for (const Shape& s : kShapes)
    for (const auto& [name, fill] : kData) {
      Case c(s.rows, s.taps, s.k);
      fill(c, random);
      const Error split = error_of(c, run(c, 3)), fma = error_of(c, fused(c));
      const size_t count = size_t(s.rows * kSide);
      EXPECT_LE(split.rms(count), fma.rms(count)) << name << " " << s.rows << " x " << s.taps << " x " << s.k;
      EXPECT_LE(split.largest, 1.25 * fma.largest) << name << " " << s.rows << " x " << s.taps << " x " << s.k;
      ours += split.rms(count), theirs += fma.rms(count);
    }
  EXPECT_LT(ours, 0.7 * theirs);
}

TEST(SplitTiles, TwoPartsErrByTheProductsLeftOut) {
  Random random(2);
  for (const Shape& s : kShapes)
    for (const auto& [name, fill] : kData) {
      Case c(s.rows, s.taps, s.k);
      fill(c, random);
      EXPECT_LE(error_of(c, run(c, 2)).largest, 3 * 0x1p-17) << name << " " << s.rows << " x " << s.k;
    }
}

// Numbers that are bfloat16 themselves lose nothing.
TEST(SplitTiles, OnePartMultipliesRoundedNumbers) {
  Random random(3);
  for (const Shape& s : kShapes) {
    Case c(s.rows, s.taps, s.k);
    fill_uniform(c, random);
    const std::vector<float> got = run(c, 1);
    for (auto* v : {&c.left, &c.right})
      for (float& x : *v) x = cppgen::bf16_to_f32(cppgen::f32_to_bf16(x));
    EXPECT_LE(error_of(c, got).largest, 1.2 * error_of(c, fused(c)).largest + 0x1p-24) << s.rows << " x " << s.k;
    EXPECT_EQ(got, run(c, 1));
  }
}

TEST(SplitTiles, NoTermsGiveZeros) {
  for (int parts : {1, 2, 3})
    for (const Case& c : {Case(17, 1, 0), Case(4, 0, 5)}) {
      const std::vector<float> got = run(c, parts);
      EXPECT_EQ(got, std::vector<float>(size_t(c.rows * kSide), 0.0f));
    }
}

void expect_same_bits(const std::vector<float>& got, const std::vector<float>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); i++) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << what;
    } else {
      ASSERT_EQ(std::memcmp(&got[i], &want[i], 4), 0) << what << ": " << got[i] << " for " << want[i];
    }
  }
}

// A number that the parts, or their products, cannot express.
const float kBeyond[] = {0x1p-149f,
                         0x1p-126f,
                         0x1p-104f,
                         0x1p-90f,
                         std::numeric_limits<float>::max(),
                         0x1p127f,
                         std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::quiet_NaN()};

TEST(SplitTiles, BlocksBeyondTheRangeAreFusedMultiplyAdds) {
  Random random(4);
  for (float x : kBeyond)
    for (const Shape& s : {Shape{1, 1, 33}, {13, 3, 40}, {32, 1, 64}})
      for (bool in_left : {false, true}) {
        Case c(s.rows, s.taps, s.k);
        fill_uniform(c, random);
        auto& v = in_left ? c.left : c.right;
        v[v.size() / 2] = x;
        expect_same_bits(run(c, 3), fused(c), std::to_string(x) + (in_left ? " left" : " right"));
      }
}

// Every number is in range, but products would overflow or be flushed.
TEST(SplitTiles, ProductsBeyondTheRangeAreFusedMultiplyAdds) {
  Random random(5);
  for (const auto& [a, b] : {std::pair{100, 27}, {-60, -60}, {-100, 5}, {125, 0}, {-100, 100}}) {
    Case c(17, 2, 34);
    fill_uniform(c, random);
    for (float& x : c.left) x = std::ldexp(x, a);
    for (float& x : c.right) x = std::ldexp(x, b);
    expect_same_bits(run(c, 3), fused(c), std::to_string(a) + " " + std::to_string(b));
  }
}

// The whole range that is exact, at its ends.
TEST(SplitTiles, ScalesInTheRangeChangeNothing) {
  Random random(6);
  Case c(20, 1, 40);
  fill_uniform(c, random);
  for (auto* v : {&c.left, &c.right})
    for (float& x : *v) x = std::abs(x) < 0x1p-5f ? 0x1p-5f : x;
  const std::vector<float> one = run(c, 3);
  EXPECT_NE(one, fused(c));
  for (const auto& [a, b] : {std::pair{-98, 28}, {28, -98}, {-35, -35}, {100, -90}, {60, 58}}) {
    Case scaled = c;
    for (float& x : scaled.left) x = std::ldexp(x, a);
    for (float& x : scaled.right) x = std::ldexp(x, b);
    std::vector<float> want = one;
    for (float& x : want) x = std::ldexp(x, a + b);
    expect_same_bits(run(scaled, 3), want, std::to_string(a) + " " + std::to_string(b));
  }
}

// Half of K.
Case half(const Case& c, bool second) {
  const long K = c.k / 2, from = second ? K : 0;
  Case h(c.rows, 1, K);
  for (long r = 0; r < c.rows; r++) std::copy_n(&c.left[size_t(r * c.k + from)], K, &h.left[size_t(r * K)]);
  std::copy_n(&c.right[size_t(from * kSide)], h.right.size(), h.right.begin());
  return h;
}

TEST(SplitTiles, SumsOfBlocksOfKAreAdded) {
  Random random(8);
  for (int parts : {1, 2, 3})
    for (long rows : {1, 13, 16, 17, 32})
      for (float scale : {1.0f, 0x1p-110f}) {  // the second too small for parts: fused multiply-adds
        Case c(rows, 1, 128);
        fill_uniform(c, random);
        for (float& x : c.left) x *= scale;
        std::vector<float> block(size_t(kSide * kDistance)), got;
        multiply(half(c, false), parts, false, block), multiply(half(c, true), parts, true, block);
        for (long r = 0; r < rows; r++)
          got.insert(got.end(), &block[size_t(r * kDistance)], &block[size_t(r * kDistance)] + kSide);
        std::vector<float> want = run(half(c, false), parts);
        const std::vector<float> more = run(half(c, true), parts);
        for (size_t i = 0; i < want.size(); i++) want[i] += more[i];
        expect_same_bits(got, want, std::to_string(parts) + " parts of " + std::to_string(rows) + " rows");
      }
}

TEST(SplitLayout, BlocksOfKCoverIt) {
  for (int parts : {1, 2, 3})
    for (long taps : {1L, 2L, 9L, 25L, 49L})
      for (long K : {1L, 32L, 70L, 300L, 512L, 777L, 1536L, 5000L}) {
        const split::KBlocks b = split::k_blocks(taps, K, parts);
        long sum = 0;
        for (long i = 0; i < b.count; i++) {
          const long of_block = split::block_k(b, i, taps, K);
          EXPECT_TRUE(of_block > 0 && (taps > 1 || i + 1 == b.count || of_block % split::kStepK == 0));
          sum += of_block;
        }
        EXPECT_EQ(sum, taps * K) << taps << " taps of " << K;
      }
}

TEST(SplitTiles, OnePartKeepsWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::bit_cast<float>(0x7fffffffu);
  Case c(3, 1, 5);
  for (auto* v : {&c.left, &c.right})
    for (float& x : *v) x = 1;
  c.left[0] = infinity, c.left[1] = -1, c.left[5] = nan, c.right[3] = -infinity, c.right[kSide + 4] = infinity;
  const std::vector<float> got = run(c, 1);
  EXPECT_EQ(got[0], infinity);
  EXPECT_EQ(got[3], -infinity);
  EXPECT_TRUE(std::isnan(got[4]));
  EXPECT_TRUE(std::isnan(got[kSide]));
  EXPECT_EQ(got[2 * kSide], 5);
  EXPECT_EQ(got[2 * kSide + 3], -infinity);
}

TEST(SplitTiles, RowsDependOnTheirBlockAlone) {
  Random random(7);
  Case c(32, 1, 70);
  fill_scaled(c, random);
  const std::vector<float> all = run(c, 3);
  Case few(9, 1, 70);
  std::copy_n(c.left.begin(), few.left.size(), few.left.begin());
  few.right = c.right;
  const std::vector<float> part = run(few, 3);
  expect_same_bits(part, {all.begin(), all.begin() + long(part.size())}, "9 of 32 rows");
}

TEST(SplitLayout, PanelsAreAtMostThreeHalvesOfFloats) {
  for (long K : {64L, 256L, 768L, 3072L}) EXPECT_LE(double(split::panel_bytes(K, 3)), 1.6 * double(K * kSide * 4));
}

}  // namespace
