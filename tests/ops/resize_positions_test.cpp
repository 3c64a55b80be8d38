// Resize to given sizes reads where exact arithmetic on whole numbers says: for axes of 1 to 64 elements, in the tables
// of known sizes and in kernels that learn the sizes in the run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cppgen/ops/images/resize_table.h"
#include "tests/ops/node_runner.h"

namespace cppgen::ops_test {
namespace {

using ops::Coordinates;
using ops::Interpolation;
using ops::NearestMode;

constexpr int64_t kMost = 64;

struct Coordinate {
  const char* name;
  Coordinates kind;
};
constexpr Coordinate kCoordinates[] = {
    {"half_pixel", Coordinates::half_pixel},
    {"half_pixel_symmetric", Coordinates::half_pixel_symmetric},
    {"pytorch_half_pixel", Coordinates::pytorch_half_pixel},
    {"align_corners", Coordinates::align_corners},
    {"asymmetric", Coordinates::asymmetric},
    {"tf_half_pixel_for_nn", Coordinates::tf_half_pixel_for_nn},
    {"tf_crop_and_resize", Coordinates::tf_crop_and_resize},
};
constexpr std::pair<const char*, NearestMode> kNearest[] = {
    {"round_prefer_floor", NearestMode::round_prefer_floor},
    {"round_prefer_ceil", NearestMode::round_prefer_ceil},
    {"floor", NearestMode::floor},
    {"ceil", NearestMode::ceil},
};

// p / q, q > 0
struct Fraction {
  int64_t p, q;
};
int64_t floor_of(Fraction f) { return f.p / f.q - (f.p % f.q < 0); }
int64_t ceil_of(Fraction f) { return -floor_of({-f.p, f.q}); }

// The region of tf_crop_and_resize, in quarters.
constexpr int64_t kStart = 1, kEnd = 3;

// The definitions of the specification, with a scale of out / in.
Fraction coordinate(Coordinates kind, int64_t in, int64_t out, int64_t x) {
  switch (kind) {
    case Coordinates::asymmetric:
      return {x * in, out};
    case Coordinates::align_corners:
      return out == 1 ? Fraction{0, 1} : Fraction{x * (in - 1), out - 1};
    case Coordinates::tf_half_pixel_for_nn:
      return {(2 * x + 1) * in, 2 * out};
    case Coordinates::tf_crop_and_resize:
      if (out == 1) return {(kStart + kEnd) * (in - 1), 8};
      return {(kStart * (out - 1) + x * (kEnd - kStart)) * (in - 1), 4 * (out - 1)};
    case Coordinates::pytorch_half_pixel:
      if (out == 1) return {0, 1};
      [[fallthrough]];
    default:
      return {(2 * x + 1) * in - out, 2 * out};
  }
}

int64_t nearest(Fraction f, NearestMode mode, int64_t in) {
  const Fraction up{2 * f.p + f.q, 2 * f.q}, down{2 * f.p - f.q, 2 * f.q};
  const int64_t at = mode == NearestMode::floor               ? floor_of(f)
                     : mode == NearestMode::ceil              ? ceil_of(f)
                     : mode == NearestMode::round_prefer_ceil ? floor_of(up)
                                                              : ceil_of(down);
  return std::clamp<int64_t>(at, 0, in - 1);
}

// Elements that no interpolation gets right by chance.
double element(int64_t i) { return double((i * i * 7 + i * 3) % 31); }

double interpolated(Fraction f, Interpolation mode, int64_t in) {
  const int64_t base = floor_of(f);
  const double t = double(f.p - base * f.q) / double(f.q), a = -0.75;
  const auto weight = [&](double d) {
    d = std::abs(d);
    if (mode == Interpolation::linear) return std::max(1 - d, 0.0);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0;
  };
  double sum = 0;
  for (int64_t k = -1; k <= 2; k++) sum += weight(double(k) - t) * element(std::clamp<int64_t>(base + k, 0, in - 1));
  return sum;
}

ops::ResizeAxis axis(int64_t in, int64_t out) {
  return {0, in, out, double(out) / double(in), ops::ScaleRatio{out, in}, kStart / 4.0, kEnd / 4.0};
}

TEST(ResizeTables, NearestIsExact) {
  for (const auto& [name, kind] : kCoordinates)
    for (const auto& [rounding, mode] : kNearest)
      for (int64_t in = 1; in <= kMost; in++)
        for (int64_t out = 1; out <= kMost; out++) {
          const auto table = make_resize_table(axis(in, out), {Interpolation::nearest, kind, mode});
          for (int64_t o = 0; o < out; o++)
            ASSERT_EQ(table.positions[size_t(o)], nearest(coordinate(kind, in, out, o), mode, in))
                << name << " " << rounding << ": " << in << " -> " << out << " at " << o;
        }
}

TEST(ResizeTables, InterpolationIsExact) {
  for (Interpolation mode : {Interpolation::linear, Interpolation::cubic})
    for (const auto& [name, kind] : kCoordinates)
      for (int64_t in = 1; in <= kMost; in++)
        for (int64_t out = 1; out <= kMost; out++) {
          const auto table = make_resize_table(axis(in, out), {mode, kind});
          for (int64_t o = 0; o < out; o++) {
            double sum = 0;
            for (int64_t t = o * table.taps; t < (o + 1) * table.taps; t++)
              sum += table.weights[size_t(t)] * element(table.positions[size_t(t)]);
            ASSERT_NEAR(sum, interpolated(coordinate(kind, in, out, o), mode, in), 1e-11)
                << name << ": " << in << " -> " << out << " at " << o;
          }
        }
}

// Resize of x [N] to the size of z [M].
struct SizesOfTheRun {
  Graph graph;
  ir::Program program;

  SizesOfTheRun(const std::string& mode, const std::string& coordinates, const std::string& rounding) {
    const auto value = [&](const char* name, const char* symbol) {
      const ValueId v = graph.add_value(name);
      graph.inputs.push_back(v);
      graph.value(v).type = TensorType{DType::f64, {graph.index->symbol(symbol)}};
      return v;
    };
    const ValueId x = value("x", "N"), z = value("z", "M"), sizes = graph.add_value("sizes"), y = graph.add_value("y");
    const std::vector<float> region{kStart / 4.0F, kEnd / 4.0F};
    const ValueId roi = graph.add_constant("roi", make_floats(DType::f32, {2}, {region.begin(), region.end()}));
    graph.add_node("Shape", {z}, {sizes}, 19);
    Node& node = graph.add_node("Resize", {x, roi, kNoValue, sizes}, {y}, 19);
    node.attributes = {{"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"nearest_mode", rounding}};
    graph.outputs = {y}, graph.opsets[""] = 19;
    program = program_of(graph);
  }

  std::vector<double> run(int64_t in, int64_t out) const {
    std::vector<double> elements;
    for (int64_t i = 0; i < in; i++) elements.push_back(element(i));
    return values_of<double>(ir::interpret(
        program, {tensor<double>({in}, elements), tensor<double>({out}, std::vector<double>(size_t(out)))})[0]);
  }
};

// Sizes with and without ties, and a few of the rest.
std::vector<std::pair<int64_t, int64_t>> some_sizes() {
  std::vector<std::pair<int64_t, int64_t>> sizes{{21, 6}, {20, 6}, {14, 4}, {50, 15}, {1, 1}, {1, 64}, {64, 1}, {2, 2}};
  for (int64_t in = 1; in <= kMost; in += 3)
    for (int64_t out = 1 + in % 5; out <= kMost; out += 7) sizes.emplace_back(in, out);
  return sizes;
}

TEST(ResizeOfTheRun, IsExact) {
  for (const auto& [name, kind] : kCoordinates) {
    for (const auto& [rounding, mode] : kNearest) {
      const SizesOfTheRun resize("nearest", name, rounding);
      for (const auto& [in, out] : some_sizes()) {
        const std::vector<double> y = resize.run(in, out);
        for (int64_t o = 0; o < out; o++) {
          // An axis that keeps its size is copied, unless it is cropped.
          const bool copied = in == out && kind != Coordinates::tf_crop_and_resize;
          ASSERT_EQ(y[size_t(o)], element(copied ? o : nearest(coordinate(kind, in, out, o), mode, in)))
              << name << " " << rounding << ": " << in << " -> " << out << " at " << o;
        }
      }
    }
    for (const auto& [text, mode] : {std::pair{"linear", Interpolation::linear}, {"cubic", Interpolation::cubic}}) {
      const SizesOfTheRun resize(text, name, "floor");
      for (const auto& [in, out] : some_sizes()) {
        const std::vector<double> y = resize.run(in, out);
        const bool copied = in == out && kind != Coordinates::tf_crop_and_resize;
        for (int64_t o = 0; o < out; o++)
          ASSERT_NEAR(y[size_t(o)], copied ? element(o) : interpolated(coordinate(kind, in, out, o), mode, in), 1e-11)
              << name << " " << text << ": " << in << " -> " << out << " at " << o;
      }
    }
  }
}

// The least scale is 7/6, not the float32 below it: 27 x 7/6 = 31.5 is rounded up.
TEST(ResizeTables, PoliciesChooseExactScales) {
  NodeCase c{"Resize",
             19,
             {{"keep_aspect_ratio_policy", std::string("not_larger")}},
             {ramp({6, 27}), tensor<float>({0}, {}), tensor<float>({0}, {}), tensor<int64_t>({2}, {7, 40})},
             {false, true, true, true}};
  EXPECT_EQ(run(c)[0].dims, (std::vector<int64_t>{7, 32}));
}

}  // namespace
}  // namespace cppgen::ops_test
