// Col2Im, DeformConv, MaxRoiPool, GridSample over volumes, AffineGrid and TensorScatter against plain C++.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/base/errors.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using Dims = std::vector<int64_t>;

void expect_near(const HostTensor& actual, const Dims& dims, const std::vector<double>& expected) {
  ASSERT_EQ(actual.dims, dims);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual.as<float>()[i], expected[i], 2e-5 * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

double at(const HostTensor& t, int64_t i) { return t.as<float>()[i]; }
HostTensor list(const std::vector<int64_t>& v) { return tensor<int64_t>({int64_t(v.size())}, v); }

// Scattered block by block, as it is defined.
TEST(Col2Im, AddsBlocksWhereTheyCameFrom) {
  struct Row {
    int64_t stride, dilation, pad;
  };
  for (const Row& r : {Row{1, 1, 0}, Row{2, 1, 1}, Row{1, 2, 1}, Row{3, 2, 2}}) {
    const int64_t h = 5, w = 6, kh = 2, kw = 3;
    const int64_t oh = (h + 2 * r.pad - (kh - 1) * r.dilation - 1) / r.stride + 1;
    const int64_t ow = (w + 2 * r.pad - (kw - 1) * r.dilation - 1) / r.stride + 1;
    HostTensor x = ramp({2, 3 * kh * kw, oh * ow});
    std::vector<double> image(size_t(2 * 3 * h * w), 0);
    for (int64_t nc = 0; nc < 6; ++nc)
      for (int64_t i = 0; i < kh; ++i)
        for (int64_t j = 0; j < kw; ++j)
          for (int64_t p = 0; p < oh * ow; ++p) {
            const int64_t y = p / ow * r.stride + i * r.dilation - r.pad;
            const int64_t z = p % ow * r.stride + j * r.dilation - r.pad;
            if (y < 0 || y >= h || z < 0 || z >= w) continue;
            image[size_t((nc * h + y) * w + z)] += at(x, ((nc * kh + i) * kw + j) * oh * ow + p);
          }
    NodeCase c{"Col2Im",
               18,
               {{"strides", ints({r.stride, r.stride})},
                {"dilations", ints({r.dilation, r.dilation})},
                {"pads", ints({r.pad, r.pad, r.pad, r.pad})}},
               {x, list({h, w}), list({kh, kw})},
               {false, true, true}};
    expect_near(run(c)[0], {2, 3, h, w}, image);
  }
}

double pixel(const HostTensor& x, int64_t plane, int64_t h, int64_t w, int64_t y, int64_t z) {
  return y < 0 || y >= h || z < 0 || z >= w ? 0 : at(x, (plane * h + y) * w + z);
}

double bilinear(const HostTensor& x, int64_t plane, int64_t h, int64_t w, double y, double z) {
  const int64_t y0 = int64_t(std::floor(y)), z0 = int64_t(std::floor(z));
  const double fy = y - double(y0), fz = z - double(z0);
  return (1 - fy) * ((1 - fz) * pixel(x, plane, h, w, y0, z0) + fz * pixel(x, plane, h, w, y0, z0 + 1)) +
         fy * ((1 - fz) * pixel(x, plane, h, w, y0 + 1, z0) + fz * pixel(x, plane, h, w, y0 + 1, z0 + 1));
}

TEST(DeformConv, MovesEveryTap) {
  const int64_t channels = 4, h = 5, w = 4, out = 6, groups = 2, moves = 2, kh = 3, kw = 2, oh = 5, ow = 5;
  HostTensor x = ramp({1, channels, h, w}), weight = ramp({out, channels / groups, kh, kw}, 7),
             offset = ramp({1, moves * kh * kw * 2, oh, ow}, 23, 0.15), bias = ramp({out}, 5),
             mask = ramp({1, moves * kh * kw, oh, ow}, 11);
  std::vector<double> expected;
  for (int64_t m = 0; m < out; ++m)
    for (int64_t p = 0; p < oh * ow; ++p) {
      double sum = at(bias, m);
      for (int64_t ic = 0; ic < channels / groups; ++ic)
        for (int64_t k = 0; k < kh * kw; ++k) {
          const int64_t ch = m / (out / groups) * (channels / groups) + ic;
          const int64_t row = ch / (channels / moves) * kh * kw + k;
          const double y = double(p / ow + k / kw - 1) + at(offset, (2 * row) * oh * ow + p);
          const double z = double(p % ow + k % kw - 1) + at(offset, (2 * row + 1) * oh * ow + p);
          sum += at(weight, (m * (channels / groups) + ic) * kh * kw + k) * at(mask, row * oh * ow + p) *
                 bilinear(x, ch, h, w, y, z);
        }
      expected.push_back(sum);
    }
  NodeCase c{"DeformConv",
             19,
             {{"group", integer(groups)}, {"offset_group", integer(moves)}, {"pads", ints({1, 1, 1, 1})}},
             {x, weight, offset, bias, mask}};
  expect_near(run(c)[0], {1, out, oh, ow}, expected);
}

TEST(MaxRoiPool, TakesTheGreatestOfEachCell) {
  HostTensor x = ramp({2, 2, 6, 7}), rois = tensor<float>({2, 5}, {1, 2, 2, 11, 9, 0, 0, 4, 5, 6});
  std::vector<double> expected;
  for (int r = 0; r < 2; ++r)
    for (int ch = 0; ch < 2; ++ch)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
          auto corner = [&](int k) { return std::round(at(rois, r * 5 + k) * 0.5); };
          const double y0 = corner(2), z0 = corner(1), bh = std::max(corner(4) - y0 + 1, 1.0) / 2,
                       bw = std::max(corner(3) - z0 + 1, 1.0) / 3;
          double best = -INFINITY;
          for (int y = 0; y < 6; ++y)
            for (int z = 0; z < 7; ++z)
              if (y >= std::floor(i * bh) + y0 && y < std::ceil((i + 1) * bh) + y0 && z >= std::floor(j * bw) + z0 &&
                  z < std::ceil((j + 1) * bw) + z0)
                best = std::max(best, at(x, ((int64_t(at(rois, r * 5)) * 2 + ch) * 6 + y) * 7 + z));
          expected.push_back(std::isinf(best) ? 0 : best);
        }
  expect_near(run({"MaxRoiPool", 22, {{"pooled_shape", ints({2, 3})}, {"spatial_scale", 0.5f}}, {x, rois}})[0],
              {2, 2, 2, 3}, expected);
}

// Trilinear interpolation of a linear function gives that function; positions are those of AffineGrid.
TEST(GridSample, VolumesReproduceLinearFunctions) {
  for (int64_t corners : {0, 1}) {
    const int64_t d = 3, h = 4, w = 5;
    std::vector<float> values;
    for (int64_t i = 0; i < d * h * w; ++i) values.push_back(float(100 * (i / (h * w)) + 10 * (i / w % h) + i % w));
    HostTensor x = tensor<float>({1, 1, d, h, w}, values);
    // Half the size, moved a little.
    HostTensor theta = tensor<float>({1, 3, 4}, {0.5f, 0, 0, 0.1f, 0, 0.5f, 0, 0, 0, 0, 0.5f, -0.1f});
    NodeCase affine{"AffineGrid", 20, {{"align_corners", integer(corners)}}, {theta, list({1, 1, 2, 3, 2})}};
    affine.constant = {false, true};
    HostTensor grid = run(affine)[0];
    ASSERT_EQ(grid.dims, (Dims{1, 2, 3, 2, 3}));
    HostTensor y = run({"GridSample", 20, {{"align_corners", integer(corners)}}, {x, grid}})[0];
    ASSERT_EQ(y.dims, (Dims{1, 1, 2, 3, 2}));
    auto place = [&](double g, int64_t n) {
      return corners ? (g + 1) / 2 * double(n - 1) : ((g + 1) * double(n) - 1) / 2;
    };
    for (int64_t i = 0; i < 12; ++i) {
      auto base = [&](int64_t k, int64_t n) {
        return corners ? (n == 1 ? 0 : -1 + 2.0 * double(k) / double(n - 1)) : -1 + (2.0 * double(k) + 1) / double(n);
      };
      const double gx = 0.5 * base(i % 2, 2) + 0.1, gy = 0.5 * base(i / 2 % 3, 3), gz = 0.5 * base(i / 6, 2) - 0.1;
      EXPECT_NEAR(at(grid, 3 * i), gx, 1e-6);
      EXPECT_NEAR(at(grid, 3 * i + 1), gy, 1e-6);
      EXPECT_NEAR(at(grid, 3 * i + 2), gz, 1e-6);
      EXPECT_NEAR(at(y, i), 100 * place(gz, d) + 10 * place(gy, h) + place(gx, w), 2e-4);
    }
  }
}

TEST(AffineGrid, ImagesAndSingleElements) {
  HostTensor theta = tensor<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  NodeCase c{"AffineGrid", 20, {{"align_corners", integer(1)}}, {theta, list({1, 1, 1, 3})}, {false, true}};
  expect_near(run(c)[0], {1, 1, 3, 2}, {-1 + 3, -4 + 6, 3, 6, 1 + 3, 4 + 6});
}

TEST(TensorScatter, WritesFromAPositionOnAndWraps) {
  HostTensor cache = ramp({2, 1, 4, 3}), update = ramp({2, 1, 2, 3}, 5, 10);
  for (bool circular : {false, true}) {
    HostTensor start = list(circular ? Dims{3, 6} : Dims{2, 0});
    std::vector<double> expected;
    for (int64_t i = 0; i < 24; ++i) expected.push_back(at(cache, i));
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t s = 0; s < 2; ++s)
        for (int64_t k = 0; k < 3; ++k)
          expected[size_t((b * 4 + (start.as<int64_t>()[b] + s) % 4) * 3 + k)] = at(update, (b * 2 + s) * 3 + k);
    NodeCase c{"TensorScatter", 24, {{"mode", std::string(circular ? "circular" : "linear")}}, {cache, update, start}};
    expect_near(run(c)[0], {2, 1, 4, 3}, expected);
  }
  NodeCase outside{"TensorScatter", 24, {}, {cache, update, list({3, 0})}};
  EXPECT_THROW(run(outside), UserError);
}

}  // namespace
}  // namespace cppgen::ops_test
