#include "cppgen/ops/images/resize_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cppgen::ops {
namespace {

// In float32, like ONNX Runtime and PyTorch: where a coordinate is nearly an integer, rounding decides which element is
// nearest.
double source_coordinate(const ResizeAxis& a, const std::string& kind, float x) {
  const auto in = float(a.in), out = float(a.out), scale = float(a.scale);
  const auto start = float(a.roi_start), end = float(a.roi_end);
  if (kind == "asymmetric") return x / scale;
  // The standard's data measures the resized axis before it is rounded down.
  const float exact = scale * in;
  if (kind == "align_corners") return a.out == 1 || exact == 1 ? 0 : x * (in - 1) / (exact - 1);
  if (kind == "pytorch_half_pixel" && a.out == 1) return 0;
  if (kind == "tf_half_pixel_for_nn") return (x + 0.5f) / scale;
  if (kind == "tf_crop_and_resize") {
    if (a.out == 1) return 0.5f * (start + end) * (in - 1);
    return start * (in - 1) + x * (end - start) * (in - 1) / (out - 1);
  }
  float shift = 0;
  if (kind == "half_pixel_symmetric") shift = in / 2 * (1 - out / exact);
  return shift + ((x + 0.5f) / scale - 0.5f);
}

double nearest_position(const ResizeAxis& a, double x, const std::string& rounding) {
  if (rounding == "by_scale") return a.scale < 1 ? std::ceil(x) : std::floor(x);
  if (rounding == "floor") return std::floor(x);
  if (rounding == "ceil") return std::ceil(x);
  return rounding == "round_prefer_ceil" ? std::floor(x + 0.5) : std::ceil(x - 0.5);
}

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Keys' cubic convolution kernel.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Taps lie at base + first .. base + 1 - first, where base is the last position left of the coordinate. Antialiasing
// widens the kernel when it shrinks the axis.
struct Kernel {
  bool is_cubic;
  double a, scale;
  int64_t first;
  int64_t taps() const { return 2 - 2 * first; }
  double weight(double distance) const { return is_cubic ? cubic(distance * scale, a) : triangle(distance * scale); }
};

Kernel kernel_of(const ResizeAxis& a, const ResizeMode& m) {
  bool is_cubic = m.mode == "cubic";
  double scale = m.antialias ? std::min(a.scale, 1.0) : 1.0;
  // An axis is at most this wide, so a kernel need not be wider.
  double reach = std::min((is_cubic ? 2.0 : 1.0) / scale, double(a.in) + 2);
  return {is_cubic, m.cubic_a, scale, int64_t(std::floor(-reach)) + 1};
}

void interpolate(const ResizeAxis& a, const ResizeMode& m, const Kernel& k, double x, ResizeTable& table) {
  double base = std::ceil(x) - 1;
  std::vector<double> weights;
  for (int64_t t = 0; t < k.taps(); ++t) {
    double position = base + double(k.first + t);
    bool outside = position < 0 || position >= double(a.in);
    weights.push_back(m.exclude_outside && outside ? 0 : k.weight(position - x));
    table.positions.push_back(int64_t(std::clamp(position, 0.0, double(a.in - 1))));
  }
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  bool normalised = m.exclude_outside || m.antialias;
  for (double w : weights) table.weights.push_back(normalised ? w / sum : w);
}

}  // namespace

ResizeTable make_resize_table(const ResizeAxis& a, const ResizeMode& m) {
  ResizeTable table;
  bool nearest = m.mode == "nearest";
  Kernel kernel = kernel_of(a, m);
  table.taps = nearest ? 1 : kernel.taps();
  for (int64_t o = 0; o < a.out; ++o) {
    double x = source_coordinate(a, m.coordinates, float(o));
    table.outside.push_back(m.coordinates == "tf_crop_and_resize" && (x < 0 || x > double(a.in - 1)));
    if (nearest) {
      table.positions.push_back(int64_t(std::clamp(nearest_position(a, x, m.nearest), 0.0, double(a.in - 1))));
      table.weights.push_back(1);
    } else {
      interpolate(a, m, kernel, x, table);
    }
  }
  return table;
}

}  // namespace cppgen::ops
