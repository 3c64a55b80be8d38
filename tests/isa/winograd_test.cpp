// The transforms of Winograd's algorithm on every instruction set: one patch against a direct convolution in double.
#include "runtime/contraction/winograd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/contraction/tile.h"
#include "runtime/contraction/tiles.h"
#include "tests/isas_to_test.h"

namespace cppgen::rt {
namespace {

struct Patch {
  winograd::Form form;
  long channels, columns;
  winograd::Accuracy accuracy = winograd::Accuracy::like_direct;
};

struct Error {
  double most = 0, rms = 0;  // relative to the largest result, and to the root of the mean square of the results
};

enum class Data { normal, positive, badly_scaled, cancelling };

std::string name_of(winograd::Form form) {
  return fmt::format("{}side {}, {} taps, stride {}", form.flat ? "flat, " : "", form.side, form.taps, form.stride);
}

std::vector<float> random_values(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

// [point][channel]; see the weights for what cancels.
std::vector<float> inputs_of(Data data, size_t count, unsigned seed) {
  std::vector<float> values = random_values(count, seed);
  std::mt19937 random(seed);
  for (size_t i = 0; i < count; i++) {
    if (data == Data::positive) values[i] = std::max(values[i], 0.0f);
    if (data == Data::badly_scaled) values[i] = std::ldexp(values[i], int(random() % 13) - 6);
    if (data == Data::cancelling) values[i] = (i % 2 ? 1.0f : -1.0f) * (1 + values[i] / 100);
  }
  return values;
}

// [tap][channel][column]: neighbouring channels have equal weights if their inputs are to cancel.
std::vector<float> weights_of(Data data, long taps, long channels, long columns, unsigned seed) {
  std::vector<float> values = random_values(size_t(taps * channels * columns), seed);
  if (data == Data::cancelling)
    for (long i = 0; i < taps * channels; i++)
      if (i % channels % 2) std::copy_n(&values[size_t((i - 1) * columns)], columns, &values[size_t(i * columns)]);
  return values;
}

class OnePatch {
 public:
  OnePatch(const VecISA& isa, const Patch& p, unsigned seed, Data data = Data::normal)
      : p_(p),
        window_(winograd::window(p.form)),
        taps_(winograd::direct_taps(p.form)),
        shape_(tile_shape(isa.name, TileFormat::f32)),
        table_(runtime_table(isa.name)),
        inputs_(inputs_of(data, size_t(winograd::products(p.form) * p.channels), seed)),
        weights_(weights_of(data, taps_, p.channels, p.columns, seed + 1)),
        exact_(exact()),
        packed_(size_t(panels() * (winograd::products(p.form) + taps_) * p.channels * shape_.nr + 16), NAN) {
    std::vector<PanelSource> taps;
    for (long t = 0; t < taps_; t++)
      taps.push_back({weights_.data() + t * p_.channels * p_.columns, p_.channels, p_.columns, p_.columns, 1});
    pack_winograd(p_.form, taps, shape_.nr, aligned());
    for (long i = 0; i < winograd::products(p_.form); i++) points_.push_back(inputs_.data() + i * p_.channels);
  }

  // [result][column], by the functions of the instruction set, as kernels call them.
  std::vector<float> results() const {
    const long products = winograd::products(p_.form), row = (p_.channels + 31) / 16 * 16, nr = shape_.nr;
    std::vector<float> transformed(size_t(products * row)), sums(size_t(products * nr));
    table_->winograd_input[winograd::number_of(p_.form)](points_.data(), p_.channels, transformed.data(), row);
    return by_panels([&](long panel, float* block) {
      const long terms = block_terms(p_.form, p_.accuracy, p_.channels);
      for (long i = 0; i < products; i++)
        table_->winograd_products[size_t(TileFormat::f32)](
            transformed.data() + i * row, row, 1, std::min(terms, p_.channels), p_.channels,
            aligned() + (panel * products + i) * p_.channels * nr, sums.data() + i * nr);
      return table_->winograd_output[winograd::number_of(p_.form)](sums.data(), nr, nr, block);
    });
  }
  // Computes the results directly from the original taps.
  std::vector<float> direct_results() const {
    const long step = p_.channels * shape_.nr;
    const float* const taps = aligned() + panels() * winograd::products(p_.form) * step;
    return by_panels([&](long panel, float* block) {
      table_->winograd_direct[winograd::number_of(p_.form)](points_.data(), p_.channels,
                                                            table_->tiles[size_t(TileFormat::f32)][p_.form.side],
                                                            taps + panel * taps_ * step, shape_.nr, block);
      return false;
    });
  }

  Error error_of(const std::vector<float>& values) const {
    Error e;
    double largest = 0, squares = 0, differences = 0;
    for (size_t i = 0; i < exact_.size(); i++) {
      const double difference = std::abs(double(values[i]) - exact_[i]);
      largest = std::max(largest, std::abs(exact_[i])), e.most = std::max(e.most, difference);
      squares += exact_[i] * exact_[i], differences += difference * difference;
    }
    e.most /= largest, e.rms = std::sqrt(differences / squares);
    return e;
  }

 private:
  const Patch p_;
  const long window_, taps_;
  const TileShape shape_;
  const cppgen_runtime* const table_;
  const std::vector<float> inputs_, weights_;
  const std::vector<double> exact_;
  std::vector<float> packed_;
  std::vector<const float*> points_;

  // The results in double, each sum in one accumulator.
  std::vector<double> exact() const {
    std::vector<double> all;
    const int stride = p_.form.stride;
    for (int y = 0; y < winograd::results(p_.form) / p_.form.side; y++)
      for (int x = 0; x < p_.form.side; x++) {
        std::vector<double> sums(size_t(p_.columns));
        for (long t = 0; t < taps_; t++) {
          const long point = (y * stride + t / p_.form.taps) * window_ + x * stride + t % p_.form.taps;
          for (long c = 0; c < p_.channels; c++) {
            const double input = inputs_[size_t(point * p_.channels + c)];
            const float* const row = weights_.data() + (t * p_.channels + c) * p_.columns;
            for (size_t j = 0; j < sums.size(); j++) sums[j] += input * double(row[j]);
          }
        }
        all.insert(all.end(), sums.begin(), sums.end());
      }
    return all;
  }

  long panels() const { return (p_.columns + shape_.nr - 1) / shape_.nr; }
  const float* aligned() const {
    return packed_.data() + (64 - reinterpret_cast<uintptr_t>(packed_.data()) % 64) % 64 / sizeof(float);
  }
  float* aligned() { return const_cast<float*>(std::as_const(*this).aligned()); }

  // The blocks that compute(panel, block) writes, and whether it calls them finite.
  template <class Compute>
  std::vector<float> by_panels(Compute compute) const {
    const long nr = shape_.nr, results = winograd::results(p_.form);
    std::vector<float> block(size_t(results * nr)), out(size_t(results * p_.columns));
    for (long panel = 0; panel < panels(); panel++) {
      EXPECT_FALSE(compute(panel, block.data()));
      for (long r = 0; r < results; r++)
        for (long j = 0; j < std::min(nr, p_.columns - panel * nr); j++)
          out[size_t(r * p_.columns + panel * nr + j)] = block[size_t(r * nr + j)];
    }
    return out;
  }
};

TEST(Winograd, EqualsDirectConvolutions) {
  for (const VecISA* isa : isas_to_test())
    for (const winograd::Form form : winograd::kForms)
      for (const long channels : {1L, 3L, 15L, 16L, 17L, 40L})
        for (const long columns : {1L, 16L, 33L}) {
          const OnePatch patch(*isa, {form, channels, columns}, 1);
          const auto where = [&] {
            return fmt::format("{}, {}, {} channels, {} columns", isa->name, name_of(form), channels, columns);
          };
          EXPECT_LT(patch.error_of(patch.results()).most, form.taps == 3 ? 2e-6 : 4e-6) << where();
          EXPECT_LT(patch.error_of(patch.direct_results()).most, 2e-6) << where();
        }
}

// The errors (roots of mean squares) relative to those of direct sums on the same tiles, over patches of 64 columns:
// fewer of many channels where the code is scalar, as that is where the test is emulated.
double relative_error(const VecISA& isa, Patch size, Data data) {
  double winograd = 0, direct = 0;
  const long patches = isa.lanes == 1 ? std::clamp(768 / size.channels, 3L, 12L) : 12;
  for (unsigned seed = 0; seed < unsigned(patches); seed++) {
    const OnePatch patch(isa, size, 2 * seed, data);
    const double error = patch.error_of(patch.results()).rms, of_direct = patch.error_of(patch.direct_results()).rms;
    winograd += error * error, direct += of_direct * of_direct;
  }
  return std::sqrt(winograd / direct);
}

// The bounds that docs/tuning.md states. Sums of a few products of nearly equal numbers are the hard case: transforms
// round numbers of which direct sums add exact products. Scalar code rounds products before it adds them, in sums and
// in transforms, which measures up to a tenth where the errors are near the bounds.
void expect_errors_below(Patch size, double most) {
  const VecISA& isa = *isas_to_test().back();
  const double normal = relative_error(isa, size, Data::normal), positive = relative_error(isa, size, Data::positive),
               scaled = relative_error(isa, size, Data::badly_scaled),
               cancelling = relative_error(isa, size, Data::cancelling);
  const std::string row =
      fmt::format("{}, {:4} channels: normal {:.2f}, positive {:.2f}, badly scaled {:.2f}, cancelling {:.2f}",
                  name_of(size.form), size.channels, normal, positive, scaled, cancelling);
  puts(row.c_str());
  if (isa.lanes == 1) most *= 1.1;
  EXPECT_LT(std::max({normal, positive, scaled}), most) << row;
  EXPECT_LT(cancelling, 4) << row;
}

constexpr long kChannels[] = {16, 24, 32, 48, 64, 80, 96, 128, 256, 320, 512, 640, 1024, 1280};

TEST(Winograd, ErrorIsLikeThatOfDirectSums) {
  for (const long channels : kChannels)
    for (const winograd::Form form : winograd::kForms)
      expect_errors_below({form, channels, 64}, is_like_direct(form, channels) ? 1.25 : 2.5);
}

TEST(Winograd, ErrorIsAtMostThreeTimesThatOfDirectSumsIfThatIsEnough) {
  for (const long channels : {16L, 128L, 256L, 1024L})
    for (const winograd::Form form : winograd::kForms)
      expect_errors_below({form, channels, 64, winograd::Accuracy::relaxed}, 3);
}

// Each result that is not finite is noticed, on every instruction set.
TEST(Winograd, ResultsThatAreNotFiniteAreNoticed) {
  for (const VecISA* isa : isas_to_test()) {
    const cppgen_runtime* const table = runtime_table(isa->name);
    const long nr = tile_shape(isa->name, TileFormat::f32).nr;
    for (const winograd::Form form : winograd::kForms) {
      const int side = form.side;
      std::vector<float> sums(size_t(winograd::products(form) * nr), 1), block(size_t(winograd::results(form) * nr));
      const auto finite = [&] {
        return !table->winograd_output[winograd::number_of(form)](sums.data(), nr, nr, block.data());
      };
      EXPECT_TRUE(finite());
      for (const float special : {NAN, INFINITY, -INFINITY})
        for (float& sum : sums) {
          sum = special;
          EXPECT_FALSE(finite()) << isa->name << ", side " << side << ", sum " << &sum - sums.data();
          sum = 1;
        }
    }
  }
}

// The sum of these blocks, in pairs.
float sum_in_pairs(const std::vector<float>& blocks, size_t first, size_t count) {
  if (count == 1) return blocks[first];
  const size_t half = std::bit_floor(count - 1);
  return sum_in_pairs(blocks, first, half) + sum_in_pairs(blocks, first + half, count - half);
}

// One product of a row and a column, in blocks of `terms` products.
float sum_in_blocks(const VecISA& isa, const float* row, const float* column, long stride, long K, long terms) {
  const auto add = [&](float x, float y, float sum) {
    return isa.name == "scalar" ? x * y + sum : std::fma(x, y, sum);
  };
  std::vector<float> blocks;
  for (long k = 0; k < K || k == 0; k += terms) {
    float& sum = blocks.emplace_back(0.0f);
    for (long i = k; i < std::min(K, k + terms); i++) sum = add(row[i], column[i * stride], sum);
  }
  return sum_in_pairs(blocks, 0, blocks.size());
}

void expect_sums_in_blocks(const VecISA& isa, TileFormat format, long rows, long K, long terms) {
  const long nr = tile_shape(isa.name, format).nr, slice = slice_columns(format, int(nr)), row = K + 3;
  const std::vector<float> left = random_values(size_t(rows * row), 1), right = random_values(size_t(K * nr), 2);
  std::vector<float> panel(size_t(K * nr + 16)), block(size_t(rows * nr + 1), 7);
  void* aligned = panel.data();
  size_t space = panel.size() * sizeof(float);
  const auto* const packed = static_cast<float*>(std::align(64, size_t(K * nr) * sizeof(float), aligned, space));
  std::copy(right.begin(), right.end(), static_cast<float*>(aligned));
  runtime_table(isa.name)->winograd_products[size_t(format)](left.data(), row, rows, terms, K, packed, block.data());
  for (long r = 0; r < rows; r++)
    for (long j = 0; j < nr; j++)
      ASSERT_EQ(block[size_t(r * nr + j)],
                sum_in_blocks(isa, &left[size_t(r * row)], packed + j / slice * slice * K + j % slice, slice, K, terms))
          << fmt::format("{}, {} columns, row {} of {}, column {}, K {}, terms {}", isa.name, nr, r, rows, j, K, terms);
  EXPECT_EQ(block.back(), 7);
}

TEST(Winograd, ProductsOfManyPatchesAreSumsInBlocks) {
  for (const VecISA* isa : isas_to_test())
    for (int format = 0; format < winograd::kFormatCount; format++) {
      if (!runtime_table(isa->name)->winograd_products[format]) continue;
      const long mr = tile_shape(isa->name, TileFormat(format)).mr;
      for (const long rows : {1L, 2L, mr - 1, mr, mr + 1, 2 * mr - 1, 2 * mr, 2 * mr + 1, 5 * mr - 2})
        for (const long K : {0L, 1L, 15L, 16L, 130L, 300L})
          for (const long terms : {8L, 16L, 32L, 256L})
            expect_sums_in_blocks(*isa, TileFormat(format), rows, K, std::clamp(K, 1L, terms));
    }
}

// There is room for the sums of 2^kPatchLevels blocks: of more products, blocks are longer than was asked for.
TEST(Winograd, BlocksAreNeverMoreThanThereIsRoomFor) {
  constexpr long kK = (1L << kPatchLevels) + 1, kAligned = 16;
  const VecISA& isa = *isas_to_test().back();
  const long nr = tile_shape(isa.name, TileFormat::f32).nr;
  const std::vector<float> left = random_values(kK, 1);
  std::vector<float> panel = random_values(size_t(kK * nr + kAligned), 2), blocks[2];
  void* aligned = panel.data();
  size_t space = panel.size() * sizeof(float);
  const auto* const packed = static_cast<float*>(std::align(64, size_t(kK * nr) * sizeof(float), aligned, space));
  for (const long terms : {1L, 2L}) {
    blocks[terms - 1].resize(size_t(nr));
    runtime_table(isa.name)->winograd_products[size_t(TileFormat::f32)](left.data(), kK, 1, terms, kK, packed,
                                                                        blocks[terms - 1].data());
  }
  EXPECT_EQ(blocks[0], blocks[1]);
}

}  // namespace
}  // namespace cppgen::rt
