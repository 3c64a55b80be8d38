#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace cppgen::bench {

// A matrix product [m, k] x [k, n], or a convolution of one image with "same" padding: with odd kernels, half the
// kernel on either side.
struct ContractionCase {
  std::string list, name;
  bool gemm = true;
  int64_t m = 0, n = 0, k = 0;
  int64_t size = 0, in = 0, out = 0, kernel = 1, stride = 1, groups = 1;

  int64_t pad() const { return kernel / 2; }
  int64_t out_size() const { return (size + 2 * pad() - kernel) / stride + 1; }
  int64_t left_elements() const { return gemm ? m * k : size * size * in; }
  int64_t weight_elements() const { return gemm ? k * n : out * (in / groups) * kernel * kernel; }
  int64_t out_elements() const { return gemm ? m * n : out_size() * out_size() * out; }
  int64_t terms() const { return gemm ? k : in / groups * kernel * kernel; }  // of the sum of one output
  double flops() const { return 2.0 * double(out_elements()) * double(terms()); }
  // A limit of such cases is how fast their weights arrive, not arithmetic.
  bool memory_bound() const { return gemm && m == 1; }
};

// The shapes of common networks, list by list: "gemm", "vector" (one row), "convolution", "depthwise", and "smoke":
// tiny odd shapes, to see that everything works.
std::vector<ContractionCase> contraction_cases();

// Activations and weights. Activations are row-major [m, k], or channels-last [size, size, in]; weights [k, n], or
// [out, in / groups, kernel, kernel].
struct Operands {
  std::vector<float> left, weights;
};
Operands random_operands(const ContractionCase&);

// The element `index` of the result, row-major [m, n] or [out_size, out_size, out], summed in double.
double exact_element(const ContractionCase&, const Operands&, int64_t index);

}  // namespace cppgen::bench
