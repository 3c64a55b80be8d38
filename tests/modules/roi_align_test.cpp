// RoiAlign, as a call of the library and interpreted, against samples taken one by one: any mode, type and place that
// regions come from, and regions that lie anywhere.
#include <cmath>
#include <limits>

#include "tests/modules/model_runs.h"

namespace cppgen::modules {
namespace {

constexpr int64_t kImages = 2, kChannels = 67, kHeight = 9, kWidth = 7, kRows = 2, kColumns = 3;
constexpr double kScale = 0.5;

struct Case {
  std::string mode = "avg", coordinates = "";  // "": the default of the opset
  int64_t samples = 0;
  int opset = 16;
  std::string way = "inputs";  // where regions come from: inputs, constants, results
  int type = onnx::TensorProto::FLOAT;
};

using Region = std::array<float, 4>;
struct Regions {
  std::vector<Region> corners;
  std::vector<int64_t> images;
};

// Inside, across the borders, larger than the image, outside, of no size, reversed, no number.
const Regions kRegions{{{1, 2, 9, 14},
                        {0.5, 0.5, 13, 17},
                        {-7, -3, 6, 5},
                        {-40, -60, 100, 80},
                        {30, 40, 60, 70},
                        {4, 4, 4, 4},
                        {12, 16, 2, 3},
                        {3, 1, 3.5, 17},
                        {std::numeric_limits<float>::quiet_NaN(), 1, 4, 4},
                        {-1500, 2, 1500, 9}},
                       {0, 1, 1, 0, 1, 0, -1, 1, 0, 1}};

std::vector<float> pixels() {
  std::vector<float> x(size_t(kImages * kChannels * kHeight * kWidth));
  for (size_t i = 0; i < x.size(); i++) x[i] = float(int(i * 7919 % 257) - 128) / 64;
  return x;
}

// One axis of a region: positions of a cell's samples.
std::vector<double> positions(double first, double last, int64_t cells, int64_t cell, const Case& c) {
  const bool half = c.coordinates.empty() ? c.opset >= 16 : c.coordinates == "half_pixel";
  const double start = first * kScale - (half ? 0.5 : 0), length = last * kScale - (half ? 0.5 : 0) - start;
  const double size = (half ? length : std::max(length, 1.0)) / double(cells);
  const double count = std::isnan(size) ? 0 : c.samples > 0 ? double(c.samples) : std::ceil(size);
  std::vector<double> result;
  for (double s = 0; s < count; s++) result.push_back(start + double(cell) * size + (s + 0.5) * size / count);
  return result;
}

double sample(const float* image, double y, double x, bool greatest) {
  if (!(y >= -1 && y <= kHeight && x >= -1 && x <= kWidth)) return 0;
  y = std::clamp(y, 0.0, double(kHeight - 1)), x = std::clamp(x, 0.0, double(kWidth - 1));
  const auto top = int64_t(y), left = int64_t(x);
  const int64_t bottom = std::min(top + 1, kHeight - 1), right = std::min(left + 1, kWidth - 1);
  const double v = y - double(top), u = x - double(left);
  const double corners[] = {(1 - v) * (1 - u) * image[top * kWidth + left], (1 - v) * u * image[top * kWidth + right],
                            v * (1 - u) * image[bottom * kWidth + left], v * u * image[bottom * kWidth + right]};
  if (greatest) return *std::max_element(std::begin(corners), std::end(corners));
  return corners[0] + corners[1] + corners[2] + corners[3];
}

std::vector<double> one_by_one(const Case& c, const Regions& regions, const std::vector<float>& x) {
  std::vector<double> result;
  for (size_t r = 0; r < regions.corners.size(); r++)
    for (int64_t k = 0; k < kChannels * kRows * kColumns; k++) {
      const Region& corners = regions.corners[r];
      const int64_t image = (regions.images[r] + kImages) % kImages * kChannels + k / (kRows * kColumns);
      double sum = 0, most = -std::numeric_limits<double>::infinity(), count = 0;
      for (double y : positions(corners[1], corners[3], kRows, k / kColumns % kRows, c))
        for (double x_at : positions(corners[0], corners[2], kColumns, k % kColumns, c)) {
          const double value = sample(x.data() + image * kHeight * kWidth, y, x_at, c.mode == "max");
          sum += value, most = std::max(most, value), count++;
        }
      result.push_back(count == 0 ? 0 : c.mode == "max" ? most : sum / count);
    }
  return result;
}

// Inputs and outputs are float32; regions are chosen by flags where they are results.
ModelMaker model_of(const Case& c, const Regions& regions) {
  ModelMaker m(c.opset);
  const bool free = c.way != "constants";
  m.input("x", free ? std::vector<std::string>{"N", "C", "H", "W"} : std::vector<std::string>{"2", "67", "9", "7"});
  auto cast = [&](const std::string& from, const std::string& to, int type) {
    set_attribute(m.node("Cast", {from}, {to}), "to", int64_t(type));
  };
  std::string corners = "corners", images = "images";
  if (c.way == "constants") {
    const auto count = int64_t(regions.images.size());
    auto& values = m.initializer(corners, {count, 4}, onnx::TensorProto::FLOAT);
    auto& indices = m.initializer(images, {count}, onnx::TensorProto::INT64);
    for (const Region& r : regions.corners)
      for (float v : r) values.add_float_data(v);
    for (int64_t i : regions.images) indices.add_int64_data(i);
  } else {
    m.input(corners, {"R", "4"}).input(images, {"R"}, onnx::TensorProto::INT64);
  }
  if (c.way == "results") {
    m.input("keep", {"R"}, onnx::TensorProto::BOOL);
    for (std::string* of : {&corners, &images}) {
      set_attribute(m.node("Compress", {*of, "keep"}, {*of + "_kept"}), "axis", int64_t(0));
      *of += "_kept";
    }
  }
  cast("x", "x_cast", c.type), cast(corners, "corners_cast", c.type);
  auto& node = m.node("RoiAlign", {"x_cast", "corners_cast", images}, {"y_cast"}, "align");
  set_attribute(node, "mode", c.mode);
  if (!c.coordinates.empty()) set_attribute(node, "coordinate_transformation_mode", c.coordinates);
  set_attribute(node, "output_height", kRows), set_attribute(node, "output_width", kColumns);
  set_attribute(node, "sampling_ratio", c.samples);
  auto& scale = *node.add_attribute();
  scale.set_name("spatial_scale"), scale.set_type(onnx::AttributeProto::FLOAT), scale.set_f(float(kScale));
  cast("y_cast", "y", onnx::TensorProto::FLOAT);
  return m.output("y"), m;
}

std::vector<Value> inputs_of(const Case& c, const Regions& regions, const std::vector<float>& x) {
  std::vector<Value> inputs{floats({kImages, kChannels, kHeight, kWidth}, x)};
  if (c.way == "constants") return inputs;
  std::vector<float> corners;
  for (const Region& r : regions.corners) corners.insert(corners.end(), r.begin(), r.end());
  const auto count = int64_t(regions.images.size());
  inputs.push_back(floats({count, 4}, corners)), inputs.push_back(ints({count}, regions.images));
  if (c.way == "results") inputs.push_back(tensor(DType::boolean, {count}, std::vector<char>(size_t(count), 1)));
  return inputs;
}

void expect_near(const Value& actual, const std::vector<double>& expected, double tolerance) {
  const std::vector<float> found = numbers(actual);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); i++) ASSERT_NEAR(found[i], expected[i], tolerance) << i;
}

void expect_samples(const Case& c, const Regions& regions = kRegions) {
  SCOPED_TRACE(fmt::format("{} '{}' {} samples, opset {}, regions from {}, type {}", c.mode, c.coordinates, c.samples,
                           c.opset, c.way, c.type));
  const std::vector<float> x = pixels();
  const std::vector<double> expected = one_by_one(c, regions, x);
  const double tolerance = c.type == onnx::TensorProto::FLOAT16 ? 4e-3 : 4e-6;
  const Model model(model_of(c, regions));
  const std::vector<Value> inputs = inputs_of(c, regions, x);
  expect_near(model.interpreted(inputs)[0], expected, tolerance);
  const Value one = model.compiled(inputs, 1)[0];
  expect_near(one, expected, tolerance);
  Model::expect_same(model.compiled(inputs, 2)[0], one);
}

TEST(RoiAlign, ModesAndCoordinates) {
  for (const std::string mode : {"avg", "max"})
    for (const std::string coordinates : {"half_pixel", "output_half_pixel"})
      for (int64_t samples : {0, 1, 3}) expect_samples({mode, coordinates, samples});
}

TEST(RoiAlign, VersionsAndTypes) {
  for (int opset : {10, 16, 22}) expect_samples({.opset = opset});
  for (int type : {onnx::TensorProto::DOUBLE, onnx::TensorProto::FLOAT16})
    for (const std::string mode : {"avg", "max"}) expect_samples({.mode = mode, .type = type});
}

TEST(RoiAlign, RegionsFromConstantsAndResults) {
  for (const std::string way : {"constants", "results"})
    for (int64_t samples : {0, 2}) expect_samples({.samples = samples, .way = way});
}

TEST(RoiAlign, NoRegions) {
  for (const std::string way : {"inputs", "results"}) expect_samples({.way = way}, {});
}

TEST(RoiAlign, ImagesOutsideAreRefusedByName) {
  const Case c;
  const Regions regions{{{1, 1, 4, 4}}, {2}};
  const Model model(model_of(c, regions));
  const auto inputs = inputs_of(c, regions, pixels());
  EXPECT_NE(error_of([&] { model.compiled(inputs, 1); }).find("align"), std::string::npos);
  EXPECT_NE(error_of([&] { model.interpreted(inputs); }).find("align"), std::string::npos);
}

}  // namespace
}  // namespace cppgen::modules
