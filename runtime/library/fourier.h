#pragma once
#include <cstdint>
#include <memory>
#include <vector>

namespace cppgen::rt {

template <class V>
struct ComplexOf {
  V re, im;
};
using Lanes2 [[gnu::vector_size(2 * sizeof(double))]] = double;  // a register of every x86-64 CPU

// The discrete Fourier transform of a fixed length: y[k] = sum over j of x[j] exp(-+ 2 pi i j k / length), not scaled.
//
// Lengths with small prime factors take one pass for each factor (Stockham's order, which needs no bit reversal);
// others are computed by convolution with a chirp (Bluestein), over the next power of two. V is double, or a vector of
// doubles for several transforms at a time, each with the same operations in the same order.
class FourierTransform {
 public:
  FourierTransform(int64_t length, bool inverse);  // length >= 1

  int64_t length() const { return length_; }
  int64_t values() const;  // size of the buffer of `run`, in complex values; the first `length` are its input
  // Overwrites all of `room` and returns the position in it where the result starts.
  template <class V>
  const ComplexOf<V>* run(ComplexOf<V>* room) const;
  int64_t operations() const;  // approximate, of one transform

 private:
  using Complex = ComplexOf<double>;
  struct Pass {
    int64_t radix, groups, stride;  // stride x groups x radix = length
  };

  bool has_passes() const { return !convolution_; }
  template <int64_t Radix, class V>
  void run_pass(const Pass&, const ComplexOf<V>* x, ComplexOf<V>* y) const;
  template <class V>
  const ComplexOf<V>* convolve(ComplexOf<V>* room) const;
  void prepare_convolution(bool inverse);

  int64_t length_;
  std::vector<Complex> roots_;  // exp(-+ 2 pi i k / length)
  std::vector<Pass> passes_;
  std::unique_ptr<FourierTransform> convolution_;
  std::vector<Complex> chirp_, kernel_;  // exp(-+ pi i k^2 / length); the transform of its conjugate
};

}  // namespace cppgen::rt
