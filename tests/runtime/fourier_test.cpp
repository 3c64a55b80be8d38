// Transforms of every kind of length against the sum that defines them.
#include "runtime/library/fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace cppgen::rt {
namespace {

using Values = std::vector<std::complex<double>>;

double wave(int64_t i) { return std::sin(double(i * i % 101) + 0.3); }

Values samples(int64_t length, int64_t row) {
  Values x;
  for (int64_t i = 0; i < length; i++) x.push_back({wave(i + row), wave(3 * i + 7 + row)});
  return x;
}

Values definition(const Values& x, bool inverse) {
  const auto n = int64_t(x.size());
  Values y(x.size());
  for (int64_t k = 0; k < n; k++)
    for (int64_t j = 0; j < n; j++)
      y[size_t(k)] += x[size_t(j)] * std::polar(1.0, (inverse ? 2 : -2) * M_PI * double(j * k % n) / double(n));
  return y;
}

std::vector<ComplexOf<double>> transformed(const FourierTransform& transform, const Values& x) {
  std::vector<ComplexOf<double>> room(size_t(transform.values()));
  for (size_t i = 0; i < x.size(); i++) room[i] = {x[i].real(), x[i].imag()};
  const auto* y = transform.run(room.data());
  return {y, y + x.size()};
}

TEST(FourierTransform, IsTheSumThatDefinesIt) {
  for (int64_t length : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 30, 31, 37, 62, 64, 74, 97, 100, 121, 128, 240, 343, 400, 1009})
    for (bool inverse : {false, true}) {
      SCOPED_TRACE(testing::Message() << length << (inverse ? " inverse" : ""));
      const Values x = samples(length, 0), expected = definition(x, inverse);
      const auto y = transformed(FourierTransform(length, inverse), x);
      for (size_t k = 0; k < y.size(); k++) {
        EXPECT_NEAR(y[k].re, expected[k].real(), 1e-11 * double(length));
        EXPECT_NEAR(y[k].im, expected[k].imag(), 1e-11 * double(length));
      }
    }
}

TEST(FourierTransform, RowsSideBySideAreTheSameBits) {
  for (int64_t length : {12, 35, 74}) {
    const FourierTransform transform(length, false);
    std::vector<ComplexOf<Lanes2>> room(static_cast<size_t>(transform.values()));
    for (int64_t row = 0; row < 2; row++) {
      const Values x = samples(length, row);
      for (size_t i = 0; i < x.size(); i++) room[i].re[row] = x[i].real(), room[i].im[row] = x[i].imag();
    }
    const auto* side_by_side = transform.run(room.data());
    for (int64_t row = 0; row < 2; row++) {
      const auto alone = transformed(transform, samples(length, row));
      for (size_t k = 0; k < alone.size(); k++) {
        EXPECT_EQ(side_by_side[k].re[row], alone[k].re);
        EXPECT_EQ(side_by_side[k].im[row], alone[k].im);
      }
    }
  }
}

}  // namespace
}  // namespace cppgen::rt
