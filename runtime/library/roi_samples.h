#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace cppgen::rt {

// The samples of a region's cells along one axis.
template <class T>
struct SampledAxis {
  T start, cell, samples;  // in pixels; samples of a cell, a whole number or NaN
  int64_t extent;          // of the image

  SampledAxis(T first, T last, int64_t cells, int64_t fixed_samples, bool half_pixel, T scale, int64_t extent)
      : extent(extent) {
    const T offset = half_pixel ? T(0.5) : T(0);
    start = first * scale - offset;
    const T end = last * scale - offset, length = end - start;
    cell = (half_pixel || length > 1 || std::isnan(length) ? length : T(1)) / T(cells);
    samples = fixed_samples > 0 ? T(fixed_samples) : std::ceil(cell);
  }

  T position(int64_t c, int64_t s) const { return start + T(c) * cell + (T(s) + T(0.5)) * cell / samples; }

  // All samples of a cell that may lie inside the image. If there are very many, only those near the image are
  // considered.
  std::pair<int64_t, int64_t> candidates(int64_t c) const {
    constexpr T kFew = 1024, kMost = T(int64_t(1) << 53);
    if (!(samples >= 1)) return {0, 0};
    if (samples <= kFew) return {0, int64_t(samples)};
    const T base = start + T(c) * cell, step = cell / samples;
    const T begin = std::max(std::floor((T(-1) - base) / step - T(0.5)) - 1, T(0));
    const T end = std::min(std::ceil((T(extent) - base) / step - T(0.5)) + 2, samples);
    if (!(begin < end) || !(end < kMost)) return {0, 0};
    return {int64_t(begin), int64_t(end)};
  }
};

// The weights of a pixel in the samples of one cell: their sum, or the greatest and the least one.
template <class T>
struct WeightedPixel {
  int64_t pixel;
  T weight, least;
};

// The pixels that the samples of one cell access along an axis, from left to right.
struct TouchedPixels {
  int64_t count = 0;
  bool leaves = false;  // some samples lie outside the image
};

template <class T>
TouchedPixels weigh_pixels(const SampledAxis<T>& axis, int64_t c, bool greatest, WeightedPixel<T>* pixels) {
  TouchedPixels touched;
  const auto [begin, end] = axis.candidates(c);
  touched.leaves = begin > 0 || T(end) < axis.samples;
  auto add = [&](int64_t pixel, T weight) {
    int64_t k = touched.count;
    while (k > 0 && pixels[k - 1].pixel > pixel) k--;
    if (k == 0 || pixels[k - 1].pixel != pixel) {
      pixels[touched.count++] = {pixel, greatest ? weight : T(0), weight};
      k = touched.count;
    }
    WeightedPixel<T>& own = pixels[k - 1];
    own.weight = greatest ? std::max(own.weight, weight) : own.weight + weight;
    own.least = std::min(own.least, weight);
  };
  for (int64_t i = begin; i < end; i++) {
    const int64_t s = axis.cell < 0 ? begin + end - 1 - i : i;  // from left to right
    const T position = axis.position(c, s);
    if (!(position >= -1 && position <= T(axis.extent))) {
      touched.leaves = true;
      continue;
    }
    const T x = std::min(std::max(position, T(0)), T(axis.extent - 1));
    const auto low = int64_t(x);
    add(low, 1 - (x - T(low)));
    add(std::min(low + 1, axis.extent - 1), x - T(low));
  }
  return touched;
}

}  // namespace cppgen::rt
