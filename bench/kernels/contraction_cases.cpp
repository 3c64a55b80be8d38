#include "bench/kernels/contraction_cases.h"

#include <fmt/format.h>

#include <random>

namespace cppgen::bench {
namespace {

struct Gemm {
  const char* list;
  int64_t m, n, k;
};
constexpr Gemm kGemms[] = {
    {"gemm", 128, 768, 768}, {"gemm", 128, 3072, 768},  {"gemm", 128, 768, 3072}, {"gemm", 128, 2304, 768},
    {"gemm", 8, 4096, 4096}, {"gemm", 3136, 64, 256},   {"gemm", 784, 512, 128},  {"gemm", 196, 1024, 256},
    {"gemm", 49, 2048, 512}, {"gemm", 128, 512, 479},   {"gemm", 512, 512, 512},  {"gemm", 2048, 2048, 2048},
    {"vector", 1, 768, 768}, {"vector", 1, 50257, 768}, {"smoke", 13, 33, 17},    {"smoke", 1, 70, 9},
};

struct Conv {
  const char* list;
  int64_t kernel, stride, in, out, size, groups;
};
constexpr Conv kConvs[] = {
    {"convolution", 7, 2, 3, 64, 224, 1},   {"convolution", 3, 1, 64, 64, 56, 1},
    {"convolution", 3, 1, 128, 128, 28, 1}, {"convolution", 3, 1, 256, 256, 14, 1},
    {"convolution", 3, 1, 512, 512, 7, 1},  {"convolution", 3, 2, 128, 128, 56, 1},
    {"convolution", 1, 1, 64, 256, 56, 1},  {"convolution", 1, 1, 256, 64, 56, 1},
    {"convolution", 1, 1, 512, 128, 28, 1}, {"convolution", 1, 1, 1024, 256, 14, 1},
    {"convolution", 1, 1, 2048, 512, 7, 1}, {"convolution", 1, 1, 512, 2048, 7, 1},
    {"depthwise", 3, 1, 32, 32, 112, 32},   {"depthwise", 3, 1, 144, 144, 56, 144},
    {"depthwise", 3, 1, 384, 384, 14, 384}, {"depthwise", 3, 1, 960, 960, 7, 960},
    {"depthwise", 7, 1, 96, 96, 56, 96},    {"depthwise", 7, 1, 384, 384, 14, 384},
    {"depthwise", 7, 1, 768, 768, 7, 768},  {"smoke", 3, 1, 18, 22, 7, 1},
    {"smoke", 3, 2, 20, 20, 9, 20},
};

ContractionCase case_of(const Gemm& g) {
  ContractionCase c{g.list, fmt::format("{}x{}x{}", g.m, g.n, g.k)};
  c.m = g.m, c.n = g.n, c.k = g.k;
  return c;
}

ContractionCase case_of(const Conv& v) {
  const std::string channels = v.in == v.out ? fmt::format("{}", v.in) : fmt::format("{}-{}", v.in, v.out);
  ContractionCase c{v.list, fmt::format("{0}x{0}{1} {2}@{3}", v.kernel,
                                        v.stride > 1 ? fmt::format("/{}", v.stride) : "", channels, v.size)};
  c.gemm = false;
  c.kernel = v.kernel, c.stride = v.stride, c.in = v.in, c.out = v.out, c.size = v.size, c.groups = v.groups;
  return c;
}

std::vector<float> random_floats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = float(int32_t(random() >> 8) - (1 << 23)) * 0x1p-23f;  // uniform in [-1, 1)
  return values;
}

double exact_product(const ContractionCase& c, const Operands& o, int64_t index) {
  const int64_t row = index / c.n, column = index % c.n;
  double sum = 0;
  for (int64_t k = 0; k < c.k; k++)
    sum += double(o.left[size_t(row * c.k + k)]) * double(o.weights[size_t(k * c.n + column)]);
  return sum;
}

double exact_convolution(const ContractionCase& c, const Operands& o, int64_t index) {
  const int64_t channel = index % c.out, x = index / c.out % c.out_size(), y = index / c.out / c.out_size();
  const int64_t in_channels = c.in / c.groups, first = channel / (c.out / c.groups) * in_channels;
  double sum = 0;
  for (int64_t i = 0; i < in_channels; i++)
    for (int64_t ky = 0; ky < c.kernel; ky++)
      for (int64_t kx = 0; kx < c.kernel; kx++) {
        const int64_t iy = y * c.stride + ky - c.pad(), ix = x * c.stride + kx - c.pad();
        if (iy < 0 || ix < 0 || iy >= c.size || ix >= c.size) continue;
        sum += double(o.left[size_t((iy * c.size + ix) * c.in + first + i)]) *
               double(o.weights[size_t(((channel * in_channels + i) * c.kernel + ky) * c.kernel + kx)]);
      }
  return sum;
}

}  // namespace

std::vector<ContractionCase> contraction_cases() {
  std::vector<ContractionCase> cases;
  for (const Gemm& g : kGemms) cases.push_back(case_of(g));
  for (const Conv& v : kConvs) cases.push_back(case_of(v));
  return cases;
}

Operands random_operands(const ContractionCase& c) {
  return {random_floats(c.left_elements(), 1), random_floats(c.weight_elements(), 2)};
}

double exact_element(const ContractionCase& c, const Operands& o, int64_t index) {
  return c.gemm ? exact_product(c, o, index) : exact_convolution(c, o, index);
}

}  // namespace cppgen::bench
