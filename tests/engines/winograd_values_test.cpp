// Winograd's algorithm where values are not finite or become so: the results are those of direct sums.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/contraction/winograd.h"
#include "tests/engines/run_engine.h"

namespace cppgen::engines {
namespace {

constexpr int64_t kChannels = 18, kFilters = 36, kSide = 9;  // of images
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSpecial[] = {NAN,    kInfinity, -kInfinity, 3e38f, -3e38f, 1.2e38f, std::numeric_limits<float>::min(),
                              1e-42f, -1e-45f};

float ordinary(int64_t i) { return float(i * 37 % 101 - 50) / 64; }

double weight(int64_t i) { return double(i * 5 % 7 - 3) / 4; }

// A form, whether flat patches are columns of an image and not parts of its lines, into how many groups channels are
// divided, and whether a step of its own transforms the inputs.
struct Patches {
  rt::winograd::Form form;
  bool is_column = false;
  int64_t groups = 1;
  bool shared_inputs = false;

  int64_t taps_down() const { return form.flat && !is_column ? 1 : form.taps; }
  int64_t taps_across() const { return is_column ? 1 : form.taps; }
  int64_t results_side() const { return (kSide - 1) / form.stride + 1; }
};

std::vector<Patches> all_patches() {
  std::vector<Patches> all;
  for (const rt::winograd::Form form : rt::winograd::kForms) {
    all.push_back({form});
    if (form.flat) all.push_back({form, true});
    all.push_back({form, false, 3});
    if (!form.flat) all.push_back({form, false, 1, true});
  }
  return all;
}

// Convolutions of images with zeros around them, whose weights are small integers: some of them are 0.
Graph convolution(int64_t images, const Patches& patches) {
  GraphMaker g;
  std::vector<double> weights;
  const int64_t across = patches.taps_across(), down = patches.taps_down();
  const int64_t channels = kChannels / patches.groups;
  for (int64_t i = 0; i < kFilters * channels * down * across; i++) weights.push_back(weight(i));
  const ValueId x = g.input("x", {images, kChannels, kSide, kSide});
  g.output(g.node("Conv", {x, g.floats({kFilters, channels, down, across}, weights)},
                  {{"pads", std::vector<int64_t>{down / 2, across / 2, down / 2, across / 2}},
                   {"strides", std::vector<int64_t>{patches.form.stride, patches.form.stride}},
                   {"group", patches.groups}}));
  return std::move(g.g);
}

ir::HostTensor images_of(const std::vector<float>& values) {
  const auto images = int64_t(values.size()) / (kChannels * kSide * kSide);
  ir::HostTensor t{
      DType::f32, {images, kChannels, kSide, kSide}, std::vector<std::byte>(values.size() * sizeof(float))};
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

bool same_class(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::isfinite(a) ? std::isfinite(b) : a == b;
}

// One image for each special value at each position of one channel.
std::vector<float> images_with_one() {
  std::vector<float> values;
  for (const float special : kSpecial)
    for (int64_t at = 0; at < kSide * kSide; at++)
      for (int64_t c = 0; c < kChannels; c++)
        for (int64_t p = 0; p < kSide * kSide; p++)
          values.push_back(c == at % kChannels && p == at ? special : ordinary(c * 7 + p));
  return values;
}

// Images whose values are so large that sums overflow, and such that are special everywhere.
std::vector<float> images_of_many() {
  std::vector<float> values;
  const int64_t elements = kChannels * kSide * kSide;
  for (const float scale : {1e36f, 1e37f, 1e38f, 3e38f})
    for (int64_t i = 0; i < elements; i++) values.push_back(std::abs(ordinary(i)) * scale);
  for (const float special : kSpecial)
    for (int64_t i = 0; i < elements; i++) values.push_back(special);
  return values;
}

class WinogradValues : public testing::TestWithParam<Patches> {
 protected:
  // Computes by Winograd's algorithm, and by direct sums.
  std::vector<float> patches(const Machine& on, const ir::HostTensor& images) const {
    return patches(on, images, GetParam().shared_inputs);
  }
  std::vector<float> patches(Machine on, const ir::HostTensor& images, bool shared_inputs) const {
    on.target.tuning.winograd_shared_patches = shared_inputs ? 1 << 20 : 0;
    if (shared_inputs) on.target.l2_bytes = std::min<int64_t>(on.target.l2_bytes, 1 << 10);  // less than the weights
    const int side = GetParam().form.side;
    const size_t contractions = shared_inputs ? 2 : 1;
    return results(on, fmt::format("WINOGRAD_{0}X{0}", side), images,
                   std::vector<std::string>(contractions, fmt::format("winograd-{0}x{0}", side)));
  }
  std::vector<float> direct(const Machine& on, const ir::HostTensor& images) const {
    return results(on, "CPP", images, {"cppgen"});
  }

 private:
  static std::vector<float> results(const Machine& machine, const std::string& backend, const ir::HostTensor& images,
                                    const std::vector<std::string>& engines) {
    Graph graph = convolution(images.dims[0], GetParam());
    schedule::Options options;
    options.max_autotune_conv_backends = {backend};
    const Result result = run_on(machine, graph, options, {images}, 2);
    EXPECT_EQ(result.engines, engines);
    std::vector<float> values(result.outputs[0].bytes.size() / sizeof(float));
    std::memcpy(values.data(), result.outputs[0].bytes.data(), result.outputs[0].bytes.size());
    return values;
  }
};

TEST_P(WinogradValues, HaveTheClassesOfDirectSums) {
  for (const char* isa : {"scalar", "avx2", "avx512"}) {
    const auto on = machine(isa);
    if (!on) continue;
    const std::vector<float> input = images_with_one();
    const ir::HostTensor images = images_of(input);
    const auto got = patches(*on, images), want = direct(*on, images);
    ASSERT_EQ(got.size(), want.size());
    size_t special = 0;
    for (size_t i = 0; i < got.size(); i++) {
      ASSERT_TRUE(same_class(got[i], want[i])) << isa << ", result " << i << ": " << got[i] << ", not " << want[i];
      special += !std::isfinite(want[i]);
    }
    EXPECT_GT(special, got.size() / size_t(100 * GetParam().groups));
  }
}

// Where direct sums are finite, others differ by rounding only, so an infinite neighbour leaves no trace.
TEST_P(WinogradValues, OfNeighboursAreNotAffected) {
  std::vector<float> input = images_with_one();
  const ir::HostTensor images = images_of(input);
  for (float& x : input)
    if (std::abs(x) > 1e30f) x = NAN;
  const ir::HostTensor same = images_of(input);
  const Machine on = this_machine();
  const auto got = patches(on, same), want = direct(on, same);
  for (size_t i = 0; i < got.size(); i++)
    if (std::isfinite(want[i])) {
      ASSERT_NEAR(got[i], want[i], 2e-4) << "result " << i;
    }
}

// Computes in double precision, whose sums do not overflow on the way.
double exact(const std::vector<float>& input, const Patches& patches, int64_t result) {
  const int64_t across = patches.taps_across(), down = patches.taps_down(), taps = down * across;
  const int64_t side = patches.results_side(), stride = patches.form.stride;
  const int64_t x = result % side, y = result / side % side, filter = result / (side * side) % kFilters,
                image = result / (side * side * kFilters);
  const int64_t channels = kChannels / patches.groups, first = filter / (kFilters / patches.groups) * channels;
  double sum = 0;
  for (int64_t c = 0; c < channels; c++)
    for (int64_t tap = 0; tap < taps; tap++) {
      const int64_t line = y * stride + tap / across - down / 2, column = x * stride + tap % across - across / 2;
      if (line < 0 || line >= kSide || column < 0 || column >= kSide) continue;
      sum += double(input[size_t(((image * kChannels + first + c) * kSide + line) * kSide + column)]) *
             weight((filter * channels + c) * taps + tap);
    }
  return sum;
}

// Direct sums may overflow on the way to a result that float32 can represent; only then may the result be finite here.
TEST_P(WinogradValues, AreNotLostInLargeSums) {
  const std::vector<float> input = images_of_many();
  const ir::HostTensor images = images_of(input);
  const Machine on = this_machine();
  const auto got = patches(on, images), want = direct(on, images);
  for (size_t i = 0; i < got.size(); i++) {
    if (std::isfinite(want[i]) || same_class(got[i], want[i])) continue;
    const double sum = exact(input, GetParam(), int64_t(i));
    ASSERT_LT(std::abs(sum), 3.4e38) << "result " << i << ": " << got[i] << ", not " << want[i];
    ASSERT_NEAR(got[i] / sum, 1, 1e-3) << "result " << i;
  }
}
// A smaller cache gives fewer panels at once.
TEST_P(WinogradValues, DoNotDependOnPanelsAtOnce) {
  const ir::HostTensor images = images_of(images_of_many());
  Machine on = this_machine();
  const auto many = patches(on, images);
  on.target.l2_bytes = 1;
  const auto one = patches(on, images);
  ASSERT_EQ(many.size(), one.size());
  EXPECT_EQ(std::memcmp(many.data(), one.data(), many.size() * sizeof(float)), 0);
}

TEST_P(WinogradValues, DoNotDependOnTheStepThatTransforms) {
  if (!GetParam().shared_inputs) return;
  const ir::HostTensor images = images_of(images_with_one());
  const Machine on = this_machine();
  const auto shared = patches(on, images, true), own = patches(on, images, false);
  ASSERT_EQ(shared.size(), own.size());
  EXPECT_EQ(std::memcmp(shared.data(), own.data(), own.size() * sizeof(float)), 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, WinogradValues, testing::ValuesIn(all_patches()), [](const auto& patches) {
  const rt::winograd::Form form = patches.param.form;
  return fmt::format("{}{}Side{}Taps{}Stride{}Groups{}", patches.param.shared_inputs ? "Shared" : "",
                     patches.param.is_column ? "Column"
                     : form.flat             ? "Line"
                                             : "",
                     form.side, form.taps, form.stride, patches.param.groups);
});

}  // namespace
}  // namespace cppgen::engines
