#include "cppgen/ops/images/resize_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cppgen/ops/images/resize_formulas.h"

namespace cppgen::ops {
namespace {

double known_coordinate(const ResizeAxis& a, Coordinates kind, int64_t o) {
  using Single = Known<float>;
  using Double = Known<double>;
  if (!a.ratio) {
    const AxisSizes<Single> sizes{
        {float(a.in)}, {float(a.out)}, {float(a.scale)}, {float(a.roi_start)}, {float(a.roi_end)}};
    return source_coordinate(sizes, kind, Single{float(o)}).value;
  }
  const bool stretched = a.ratio->up == a.out && a.ratio->down == a.in;
  const ExactAxis<Double> sizes{
      {double(a.in)}, {double(a.out)}, {double(a.ratio->up)}, {double(a.ratio->down)}, {a.roi_start},
      {a.roi_end},    stretched};
  return source_coordinate(sizes, kind, Double{double(o)}).value;
}

// Taps are at base + first .. base + 1 - first, where base is the last position to the left of the coordinate.
// Antialiasing widens the kernel when it shrinks the axis.
struct Kernel {
  const ResizeMode& mode;
  double scale;
  int64_t first;
  int64_t taps() const { return 2 - 2 * first; }
  double weight(double distance) const { return kernel_at(mode, Known<double>{distance * scale}).value; }
};

Kernel kernel_of(const ResizeAxis& a, const ResizeMode& m) {
  bool is_cubic = m.mode == Interpolation::cubic;
  double scale = m.antialias ? std::min(a.scale, 1.0) : 1.0;
  // An axis is at most this wide, so a kernel need not be wider.
  double reach = std::min((is_cubic ? 2.0 : 1.0) / scale, double(a.in) + 2);
  return {m, scale, int64_t(std::floor(-reach)) + 1};
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
  bool nearest = m.mode == Interpolation::nearest;
  Kernel kernel = kernel_of(a, m);
  table.taps = nearest ? 1 : kernel.taps();
  for (int64_t o = 0; o < a.out; ++o) {
    const double x = known_coordinate(a, m.coordinates, o);
    table.outside.push_back(m.coordinates == Coordinates::tf_crop_and_resize && (x < 0 || x > double(a.in - 1)));
    if (nearest) {
      const double position = nearest_position<Known<double>>({a.scale}, {x}, m.nearest).value;
      table.positions.push_back(int64_t(std::clamp(position, 0.0, double(a.in - 1))));
      table.weights.push_back(1);
    } else {
      interpolate(a, m, kernel, x, table);
    }
  }
  return table;
}

}  // namespace cppgen::ops
