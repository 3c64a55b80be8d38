#include "runtime/library/fourier.h"

#include <bit>
#include <cmath>
#include <utility>

namespace cppgen::rt {
namespace {

constexpr int64_t kMostRadix = 31;  // a pass costs as much as its radix, for each element

template <class V>
using Cx = ComplexOf<V>;

template <class V>
Cx<V> operator+(Cx<V> a, Cx<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
Cx<V> operator-(Cx<V> a, Cx<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>
Cx<V> operator*(Cx<V> a, Cx<double> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Cx<double> unit(double turns) { return {std::cos(2 * M_PI * turns), std::sin(2 * M_PI * turns)}; }

// 4 before 2: fewer passes. Empty if a prime factor is too large.
std::vector<int64_t> radices_of(int64_t length) {
  std::vector<int64_t> radices;
  const auto divide_by = [&](int64_t r) {
    for (; length % r == 0; length /= r) radices.push_back(r);
  };
  divide_by(4);
  divide_by(2);
  for (int64_t r = 3; r <= kMostRadix; r += 2) divide_by(r);
  return length == 1 ? radices : std::vector<int64_t>();
}

// a[j] becomes the sum over k of a[k] times root^(j k), where root^radix = 1.
template <class V>
void butterfly_2(Cx<V>* a) {
  const Cx<V> sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}

template <class V>
void butterfly_4(Cx<V>* a, double root_im) {
  const Cx<V> even = a[0] + a[2], odd = a[1] + a[3], even_less = a[0] - a[2], less = a[1] - a[3];
  const Cx<V> turned{-less.im * root_im, less.re * root_im};
  a[0] = even + odd, a[1] = even_less + turned, a[2] = even - odd, a[3] = even_less - turned;
}

// If the radix is odd, the terms k and radix - k have conjugate roots.
template <class V>
void butterfly_odd(Cx<V>* a, int64_t radix, const Cx<double>* roots, int64_t root_step) {
  const int64_t half = radix / 2;
  Cx<V> sums[kMostRadix / 2 + 1], differences[kMostRadix / 2 + 1];
  const Cx<V> first = a[0];
  for (int64_t k = 1; k <= half; k++) {
    sums[k] = a[k] + a[radix - k], differences[k] = a[k] - a[radix - k];
    a[0] = a[0] + sums[k];
  }
  for (int64_t j = 1; j <= half; j++) {
    Cx<V> even = first, odd{};
    for (int64_t k = 1; k <= half; k++) {
      const Cx<double> root = roots[j * k % radix * root_step];
      even.re += sums[k].re * root.re, even.im += sums[k].im * root.re;
      odd.re -= differences[k].im * root.im, odd.im += differences[k].re * root.im;
    }
    a[j] = even + odd, a[radix - j] = even - odd;
  }
}

}  // namespace

FourierTransform::FourierTransform(int64_t length, bool inverse) : length_(length) {
  const std::vector<int64_t> radices = radices_of(length);
  if (radices.empty() && length > 1) {
    prepare_convolution(inverse);
    return;
  }
  for (int64_t k = 0; k < length; k++) roots_.push_back(unit((inverse ? 1 : -1) * double(k) / double(length)));
  int64_t stride = 1;
  for (int64_t r : radices) {
    passes_.push_back({r, length / stride / r, stride});
    stride *= r;
  }
}

// j k = (j^2 + k^2 - (k - j)^2) / 2
void FourierTransform::prepare_convolution(bool inverse) {
  const auto points = int64_t(std::bit_ceil(uint64_t(2 * length_ - 1)));
  convolution_ = std::make_unique<FourierTransform>(points, false);
  // k^2 modulo 2 length, step by step: the square itself would be inexact as a double.
  for (int64_t k = 0, square = 0; k < length_; k++) {
    chirp_.push_back(unit((inverse ? 1 : -1) * double(square) / double(2 * length_)));
    square = (square + 2 * k + 1) % (2 * length_);
  }
  std::vector<Complex> room(size_t(convolution_->values()));
  for (int64_t k = 0; k < length_; k++) {
    const Complex conjugate{chirp_[size_t(k)].re, -chirp_[size_t(k)].im};
    room[size_t(k)] = conjugate;
    if (k > 0) room[size_t(points - k)] = conjugate;
  }
  const Complex* kernel = convolution_->run(room.data());
  for (int64_t k = 0; k < points; k++)
    kernel_.push_back({kernel[k].re / double(points), kernel[k].im / double(points)});
}

int64_t FourierTransform::values() const { return has_passes() ? 2 * length_ : convolution_->values(); }

int64_t FourierTransform::operations() const {
  if (!has_passes()) return 2 * convolution_->operations() + 20 * convolution_->length();
  int64_t count = 0;
  for (const Pass& p : passes_) count += length_ * (6 + (p.radix % 2 == 0 ? 4 : 2 * p.radix));
  return count;
}

// Runs a pass whose radix is known here, so that the values of a butterfly are in registers. With 0 it is that of the
// pass, which is odd.
template <int64_t Radix, class V>
void FourierTransform::run_pass(const Pass& p, const Cx<V>* x, Cx<V>* y) const {
  constexpr int64_t kRoom = Radix ? Radix : kMostRadix;
  const int64_t r = Radix ? Radix : p.radix, s = p.stride;
  const double root_im = Radix == 4 ? roots_[size_t(length_ / 4)].im : 0;
  for (int64_t group = 0; group < p.groups; group++) {
    Complex twiddles[kRoom];
    for (int64_t j = 1; j < r; j++) twiddles[j] = roots_[size_t(group * j * s)];
    for (int64_t q = 0; q < s; q++) {
      Cx<V> a[kRoom];
#pragma GCC unroll 4
      for (int64_t k = 0; k < r; k++) a[k] = x[q + s * (group + p.groups * k)];
      if constexpr (Radix == 2)
        butterfly_2(a);
      else if constexpr (Radix == 4)
        butterfly_4(a, root_im);
      else
        butterfly_odd(a, r, roots_.data(), length_ / r);
      Cx<V>* to = y + q + s * r * group;
      to[0] = a[0];
#pragma GCC unroll 3
      for (int64_t j = 1; j < r; j++) to[s * j] = a[j] * twiddles[j];
    }
  }
}

template <class V>
const Cx<V>* FourierTransform::convolve(Cx<V>* room) const {
  const int64_t points = convolution_->length();
  for (int64_t k = 0; k < length_; k++) room[k] = room[k] * chirp_[size_t(k)];
  for (int64_t k = length_; k < points; k++) room[k] = Cx<V>{};
  const Cx<V>* spectrum = convolution_->run(room);
  // The inverse transform is the conjugate of the transform of the conjugate.
  for (int64_t k = 0; k < points; k++) {
    const Cx<V> product = spectrum[k] * kernel_[size_t(k)];
    room[k] = {product.re, -product.im};
  }
  const Cx<V>* sums = convolution_->run(room);
  Cx<V>* result = room + (sums - room);
  for (int64_t k = 0; k < length_; k++) result[k] = Cx<V>{sums[k].re, -sums[k].im} * chirp_[size_t(k)];
  return result;
}

template <class V>
const Cx<V>* FourierTransform::run(Cx<V>* room) const {
  if (!has_passes()) return convolve(room);
  Cx<V>*from = room, *to = room + length_;
  for (const Pass& p : passes_) {
    if (p.radix == 2)
      run_pass<2>(p, from, to);
    else if (p.radix == 4)
      run_pass<4>(p, from, to);
    else
      run_pass<0>(p, from, to);
    std::swap(from, to);
  }
  return from;
}

template const Cx<double>* FourierTransform::run(Cx<double>*) const;
template const Cx<Lanes2>* FourierTransform::run(Cx<Lanes2>*) const;

}  // namespace cppgen::rt
