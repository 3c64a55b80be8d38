#pragma once
#include <algorithm>
#include <cmath>

#include "cppgen/ops/images/resize_table.h"
#include "cppgen/ops/scalar.h"

// The formulas of Resize: N is Known<float> or Known<double> if the compiler knows the axis, and Scalar if it is known
// only at run time.
namespace cppgen::ops {

// A number with the interface of Scalar. Other operands take its type.
template <class T>
struct Known {
  T value;
  Known number(double v) const { return {T(v)}; }
};

#define CPPGEN_KNOWN(function, result, expression) \
  template <class T>                               \
  result function(Known<T> left, Known<T> right) { \
    const T a = left.value, b = right.value;       \
    return {expression};                           \
  }                                                \
  template <class T>                               \
  result function(Known<T> a, double b) {          \
    return function(a, a.number(b));               \
  }                                                \
  template <class T>                               \
  result function(double a, Known<T> b) {          \
    return function(b.number(a), b);               \
  }
CPPGEN_KNOWN(operator+, Known<T>, a + b)
CPPGEN_KNOWN(operator-, Known<T>, a - b)
CPPGEN_KNOWN(operator*, Known<T>, a* b)
CPPGEN_KNOWN(operator/, Known<T>, a / b)
CPPGEN_KNOWN(operator<, bool, a < b)
CPPGEN_KNOWN(operator<=, bool, a <= b)
CPPGEN_KNOWN(operator==, bool, a == b)
CPPGEN_KNOWN(max, Known<T>, std::max(a, b))
#undef CPPGEN_KNOWN
template <class T>
Known<T> abs(Known<T> x) {
  return {std::abs(x.value)};
}
template <class T>
Known<T> floor(Known<T> x) {
  return {std::floor(x.value)};
}
template <class T>
Known<T> ceil(Known<T> x) {
  return {std::ceil(x.value)};
}
template <class T>
Known<T> select(bool condition, Known<T> then, Known<T> otherwise) {
  return condition ? then : otherwise;
}

// An axis whose scale is given, in float32, like ONNX Runtime and PyTorch: if a coordinate is nearly an integer,
// rounding decides which element is nearest.
template <class N>
struct AxisSizes {
  N in, out, scale, roi_start, roi_end;
};

template <class N>
N source_coordinate(const AxisSizes<N>& a, Coordinates kind, N x) {
  const N zero = x.number(0), last = a.in - 1.0;
  if (kind == Coordinates::asymmetric) return x / a.scale;
  // In the standard's test data, the length of the resized axis is used before it is rounded down.
  const N exact = a.scale * a.in;
  if (kind == Coordinates::align_corners) return select(a.out == 1.0 || exact == 1.0, zero, x * last / (exact - 1.0));
  if (kind == Coordinates::tf_half_pixel_for_nn) return (x + 0.5) / a.scale;
  if (kind == Coordinates::tf_crop_and_resize)
    return select(a.out == 1.0, 0.5 * (a.roi_start + a.roi_end) * last,
                  a.roi_start * last + x * (a.roi_end - a.roi_start) * last / (a.out - 1.0));
  const N centre = (x + 0.5) / a.scale - 0.5;
  if (kind == Coordinates::pytorch_half_pixel) return select(a.out == 1.0, zero, centre);
  return kind == Coordinates::half_pixel_symmetric ? a.in / 2.0 * (1.0 - a.out / exact) + centre : centre;
}

// An axis whose sizes are given, in float64: its scale is up / down, and a coordinate is a quotient of whole numbers
// that is rounded once. So ties between neighbours are found exactly, for all axes of at most 2^24 elements.
template <class N>
struct ExactAxis {
  N in, out, up, down, roi_start, roi_end;
  bool stretched;  // up / down is out / in: no policy has chosen the scale of another axis
};

template <class N>
N source_coordinate(const ExactAxis<N>& a, Coordinates kind, N x) {
  const N zero = x.number(0), last = a.in - 1.0, odd = 2.0 * x + 1.0;
  if (kind == Coordinates::asymmetric) return x * a.down / a.up;
  if (kind == Coordinates::align_corners) {
    const N length = a.stretched ? a.out : a.up * a.in, one = a.stretched ? x.number(1) : a.down;
    return select(a.out == 1.0 || length == one, zero, x * last * one / (length - one));
  }
  if (kind == Coordinates::tf_half_pixel_for_nn) return odd * a.down / (2.0 * a.up);
  if (kind == Coordinates::tf_crop_and_resize)
    return select(a.out == 1.0, 0.5 * (a.roi_start + a.roi_end) * last,
                  (a.roi_start * last * (a.out - 1.0) + x * (a.roi_end - a.roi_start) * last) / (a.out - 1.0));
  const N moved = kind == Coordinates::half_pixel_symmetric ? a.in * a.up - a.out * a.down : zero;
  const N centre = (moved + odd * a.down - a.up) / (2.0 * a.up);
  return kind == Coordinates::pytorch_half_pixel ? select(a.out == 1.0, zero, centre) : centre;
}

// The size that a policy gives an axis of the scale up / down: rounded half up.
template <class N>
N rounded_size(N in, N up, N down) {
  return floor((2.0 * up * in + down) / (2.0 * down));
}

template <class N>
N nearest_position(N scale, N x, NearestMode rounding) {
  if (rounding == NearestMode::by_scale) return select(scale < 1.0, ceil(x), floor(x));
  if (rounding == NearestMode::floor) return floor(x);
  if (rounding == NearestMode::ceil) return ceil(x);
  return rounding == NearestMode::round_prefer_ceil ? floor(x + 0.5) : ceil(x - 0.5);
}

// The weight of an element at this distance: a triangle, or Keys' cubic convolution kernel.
template <class N>
N kernel_at(const ResizeMode& m, N distance) {
  const N x = abs(distance);
  if (m.mode == Interpolation::linear) return max(1.0 - x, 0.0);
  const double a = m.cubic_a;
  const N near = ((a + 2) * x - (a + 3)) * x * x + 1.0, far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return select(x <= 1.0, near, select(x < 2.0, far, x.number(0)));
}

}  // namespace cppgen::ops
