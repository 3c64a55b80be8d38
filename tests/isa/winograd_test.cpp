// The transforms of Winograd's algorithm on every instruction set: one patch against a direct convolution in double.
#include "runtime/contraction/winograd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "runtime/contraction/tile.h"
#include "tests/isas_to_test.h"

namespace cppgen::rt {
namespace {

struct Patch {
  int side;
  long channels, columns;
};

struct Error {
  double most = 0, rms = 0;  // relative to the largest result, and to the root of the mean square of the results
};

std::vector<float> random_values(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

class OnePatch {
 public:
  OnePatch(const VecISA& isa, const Patch& p, unsigned seed)
      : p_(p),
        window_(winograd::window(p.side)),
        shape_(tile_shape(isa.name, TileFormat::f32)),
        table_(runtime_table(isa.name)),
        inputs_(random_values(size_t(window_ * window_ * p.channels), seed)),
        weights_(random_values(size_t(9 * p.channels * p.columns), seed + 1)) {}

  // [result][column], by the functions of the instruction set.
  std::vector<float> results() const {
    const long products = window_ * window_, row = (p_.channels + 31) / 16 * 16, nr = shape_.nr;
    const long panels = (p_.columns + nr - 1) / nr;
    std::vector<float> packed(size_t(panels * products * p_.channels * nr + 16), NAN),
        transformed(size_t(products * row)), sums(size_t(products * nr)), block(size_t(p_.side * p_.side * nr)),
        out(size_t(p_.side * p_.side * p_.columns));
    float* const aligned = packed.data() + (64 - reinterpret_cast<uintptr_t>(packed.data()) % 64) % 64 / sizeof(float);
    std::vector<PanelSource> taps;
    for (long t = 0; t < 9; t++)
      taps.push_back({weights_.data() + t * p_.channels * p_.columns, p_.channels, p_.columns, p_.columns, 1});
    pack_winograd(p_.side, taps, int(nr), aligned);
    std::vector<const float*> points;
    for (long i = 0; i < products; i++) points.push_back(inputs_.data() + i * p_.channels);
    table_->winograd_input[p_.side / 2 - 1](points.data(), p_.channels, transformed.data(), row);
    for (long panel = 0; panel < panels; panel++) {
      for (long i = 0; i < products; i++) {
        const void* left[] = {transformed.data() + i * row};
        table_->tiles[size_t(TileFormat::f32)][1](
            left, 1, p_.channels, aligned + (panel * products + i) * p_.channels * nr, sums.data() + i * nr, nr);
      }
      table_->winograd_output[p_.side / 2 - 1](sums.data(), nr, nr, block.data());
      for (long r = 0; r < p_.side * p_.side; r++)
        for (long j = 0; j < std::min(nr, p_.columns - panel * nr); j++)
          out[size_t(r * p_.columns + panel * nr + j)] = block[size_t(r * nr + j)];
    }
    return out;
  }

  // The same, each sum in one accumulator.
  template <class T>
  std::vector<T> direct() const {
    std::vector<T> out;
    for (int y = 0; y < p_.side; y++)
      for (int x = 0; x < p_.side; x++)
        for (long j = 0; j < p_.columns; j++) {
          T sum = 0;
          for (long t = 0; t < 9; t++)
            for (long c = 0; c < p_.channels; c++)
              sum += T(inputs_[size_t(((y + t / 3) * window_ + x + t % 3) * p_.channels + c)]) *
                     T(weights_[size_t((t * p_.channels + c) * p_.columns + j)]);
          out.push_back(sum);
        }
    return out;
  }

  template <class T>
  Error error_of(const std::vector<T>& values) const {
    const std::vector<double> exact = direct<double>();
    Error e;
    double largest = 0, squares = 0, differences = 0;
    for (size_t i = 0; i < exact.size(); i++) {
      const double difference = std::abs(double(values[i]) - exact[i]);
      largest = std::max(largest, std::abs(exact[i])), e.most = std::max(e.most, difference);
      squares += exact[i] * exact[i], differences += difference * difference;
    }
    e.most /= largest, e.rms = std::sqrt(differences / squares);
    return e;
  }

 private:
  const Patch p_;
  const long window_;
  const TileShape shape_;
  const cppgen_runtime* const table_;
  const std::vector<float> inputs_, weights_;
};

TEST(Winograd, EqualsDirectConvolutions) {
  for (const VecISA* isa : isas_to_test())
    for (const int side : {2, 4})
      for (const long channels : {1L, 3L, 15L, 16L, 17L, 40L})
        for (const long columns : {1L, 16L, 33L}) {
          const OnePatch patch(*isa, {side, channels, columns}, 1);
          EXPECT_LT(patch.error_of(patch.results()).most, 2e-6)
              << isa->name << ", side " << side << ", " << channels << " channels, " << columns << " columns";
        }
}

// What docs/tuning.md states: the error is about that of a direct convolution.
TEST(Winograd, ErrorIsLikeThatOfDirectSums) {
  const VecISA& isa = *isas_to_test().back();
  for (const long channels : {16L, 64L, 256L, 512L})
    for (const int side : {2, 4}) {
      double winograd = 0, direct = 0;
      for (unsigned seed = 0; seed < 20; seed++) {
        const OnePatch patch(isa, {side, channels, 64}, 2 * seed);
        winograd += patch.error_of(patch.results()).rms / 20, direct += patch.error_of(patch.direct<float>()).rms / 20;
      }
      EXPECT_LT(winograd, (side == 2 ? 1.0 : 2.5) * direct) << side << ", " << channels << " channels";
      printf("side %d, %3ld channels: %.2f of the error of direct sums\n", side, channels, winograd / direct);
    }
}

}  // namespace
}  // namespace cppgen::rt
