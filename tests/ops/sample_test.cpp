// Transforms and resampling.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

TEST(Dft, InverseGivesTheSignalBackAndOneSidedAHalf) {
  HostTensor x = ramp({2, 6, 1});
  HostTensor spectrum = run({"DFT", 17, {}, {x}})[0];
  ASSERT_EQ(spectrum.dims, (Dims{2, 6, 2}));
  HostTensor back = run({"DFT", 17, {{"inverse", integer(1)}}, {spectrum}})[0];
  for (int i = 0; i < 12; ++i) {
    EXPECT_NEAR(back.as<float>()[2 * i], x.as<float>()[i], 1e-5);
    EXPECT_NEAR(back.as<float>()[2 * i + 1], 0, 1e-5);
  }
  HostTensor half = run({"DFT", 17, {{"onesided", integer(1)}}, {x}})[0];
  ASSERT_EQ(half.dims, (Dims{2, 4, 2}));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(half.as<float>()[i], spectrum.as<float>()[i]);
}

TEST(Resize, LinearHalfPixelAndTables) {
  HostTensor x = tensor<float>({1, 4}, {0, 1, 2, 3}), scales = tensor<float>({2}, {1, 2}), roi = tensor<float>({0}, {});
  NodeCase c{"Resize", 13, {{"mode", std::string("linear")}}, {x, roi, scales}, {false, true, true}};
  std::vector<float> y = values_of<float>(run(c)[0]);
  std::vector<float> expected = {0, 0.25f, 0.75f, 1.25f, 1.75f, 2.25f, 2.75f, 3};
  ASSERT_EQ(y.size(), expected.size());
  for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-6);
}

// Cubic weights sum to 1 and reproduce straight lines inside.
TEST(Resize, CubicReproducesLines) {
  HostTensor x = tensor<float>({8}, {0, 1, 2, 3, 4, 5, 6, 7}), scales = tensor<float>({1}, {2}),
             roi = tensor<float>({0}, {});
  NodeCase c{
      "Resize", 13, {{"mode", std::string("cubic")}, {"cubic_coeff_a", -0.5f}}, {x, roi, scales}, {false, true, true}};
  std::vector<float> y = values_of<float>(run(c)[0]);
  ASSERT_EQ(y.size(), 16u);
  for (int i = 4; i < 12; ++i) EXPECT_NEAR(y[size_t(i)], (i + 0.5) / 2 - 0.5, 1e-5);
}

TEST(Upsample, WholeScalesNeedNoTable) {
  NodeCase c{"Upsample", 9, {}, {ramp({1, 1, 2, 2}), tensor<float>({4}, {1, 1, 2, 3})}, {false, true}};
  Graph g = graph_of(c);
  ir::Program p = program_of(g);
  for (const ir::Buffer& b : p.buffers) EXPECT_NE(b.kind, ir::BufferKind::constant);
  EXPECT_EQ(run(c)[0].dims, (Dims{1, 1, 4, 6}));
}

TEST(GridSample, TheIdentityGridCopies) {
  HostTensor x = ramp({1, 2, 3, 3});
  std::vector<float> grid;
  for (int i = 0; i < 9; ++i) grid.push_back(float(i % 3) - 1), grid.push_back(float(i / 3) - 1);
  for (const char* mode : {"bilinear", "nearest", "bicubic"}) {
    NodeCase c{"GridSample",
               16,
               {{"mode", std::string(mode)}, {"align_corners", integer(1)}},
               {x, tensor<float>({1, 3, 3, 2}, grid)}};
    EXPECT_EQ(values_of<float>(run(c)[0]), values_of<float>(x)) << mode;
  }
}

// Samples of an image of two rows of 1 to 5, at this height and at these places in a row, up to infinity.
std::vector<float> sampled(const char* mode, const char* padding, int corners, float height,
                           const std::vector<float>& places) {
  const HostTensor x = tensor<float>({1, 1, 2, 5}, {1, 2, 3, 4, 5, 1, 2, 3, 4, 5});
  std::vector<float> grid;
  for (float place : places) grid.push_back(place), grid.push_back(height);
  return values_of<float>(
      run({"GridSample",
           20,
           {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", integer(corners)}},
           {x, tensor<float>({1, 1, int64_t(places.size()), 2}, grid)}})[0]);
}

TEST(GridSample, FarOutsideIsTheBorderOrZero) {
  const std::vector<float> after{2, 1e6F, 5e8F, 1e9F, 3e38F, INFINITY};
  std::vector<float> before;
  for (float place : after) before.push_back(-place);
  for (const char* mode : {"linear", "nearest", "cubic"})
    for (int corners : {0, 1}) {
      const auto all = [&](float v) { return std::vector<float>(after.size(), v); };
      EXPECT_EQ(sampled(mode, "border", corners, -1, after), all(5)) << mode;
      EXPECT_EQ(sampled(mode, "border", corners, -1, before), all(1)) << mode;
      for (float height : after) EXPECT_EQ(sampled(mode, "border", corners, height, after), all(5)) << mode;
      for (float height : {-1.0F, -1e9F}) {
        std::vector<float> places = after;
        places[0] = 9;
        EXPECT_EQ(sampled(mode, "zeros", corners, height, places), all(0)) << mode;
      }
    }
}

// Reflected coordinates stay in the image; those that are no numbers read nothing.
TEST(GridSample, ReflectsFarCoordinates) {
  for (const char* mode : {"linear", "nearest", "cubic"})
    for (int corners : {0, 1}) {
      for (float v : sampled(mode, "reflection", corners, 0, {1e6F, -5e8F, 1e9F, 3e37F})) {
        EXPECT_GE(v, 0.5F) << mode;
        EXPECT_LE(v, 5.5F) << mode;
      }
      EXPECT_EQ(sampled(mode, "reflection", corners, 0, {INFINITY, NAN}), (std::vector<float>{0, 0})) << mode;
      for (const char* padding : {"zeros", "border"})
        EXPECT_EQ(sampled(mode, padding, corners, 0, {NAN}), (std::vector<float>{0})) << mode;
    }
}

TEST(CenterCropPad, CropsAndPads) {
  NodeCase c{"CenterCropPad",
             18,
             {},
             {tensor<int64_t>({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), tensor<int64_t>({2}, {4, 2})},
             {false, true}};
  EXPECT_EQ(values_of<int64_t>(run(c)[0]), (Dims{0, 0, 1, 2, 5, 6, 0, 0}));
}

}  // namespace
}  // namespace cppgen::ops_test
