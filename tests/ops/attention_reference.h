#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/ops/node_runner.h"

// Attention in plain loops in double precision, for the tests of its operators.
namespace cppgen::ops_test {

using Dims = std::vector<int64_t>;

// Distinct in all dimensions.
inline HostTensor wave(Dims dims, double phase) {
  HostTensor t = ramp(std::move(dims));
  std::vector<float> values;
  for (int64_t i = 0; i < t.elements(); i++) values.push_back(float(std::sin(0.7 * double(i) + phase)));
  return tensor<float>(t.dims, values);
}

struct Sizes {
  int64_t batch, heads, key_heads, rows, keys, head_size, columns;
};

// Elements of tensors with the heads apart, or side by side.
using At = std::function<double(int64_t b, int64_t h, int64_t i, int64_t d)>;
inline At apart(const HostTensor& t) {
  return [&t](int64_t b, int64_t h, int64_t i, int64_t d) {
    return t.as<float>()[((b * t.dims[1] + h) * t.dims[2] + i) * t.dims[3] + d];
  };
}
inline At beside(const HostTensor& t, int64_t heads) {
  return [&t, heads](int64_t b, int64_t h, int64_t i, int64_t d) {
    return t.as<float>()[(b * t.dims[1] + i) * t.dims[2] + h * (t.dims[2] / heads) + d];
  };
}

// Scores as they enter the softmax: of a point and its scaled product.
using Score = std::function<double(int64_t b, int64_t h, int64_t i, int64_t j, double x)>;

inline void expect_attention(const Sizes& s, double scale, const At& q, const At& k, const At& v, const Score& score,
                             const At& result) {
  for (int64_t b = 0; b < s.batch; b++)
    for (int64_t h = 0; h < s.heads; h++)
      for (int64_t i = 0; i < s.rows; i++) {
        const int64_t kh = h / (s.heads / s.key_heads);
        std::vector<double> powers(size_t(s.keys), 0);
        double sum = 0;
        for (int64_t j = 0; j < s.keys; j++) {
          double x = 0;
          for (int64_t d = 0; d < s.head_size; d++) x += q(b, h, i, d) * k(b, kh, j, d);
          sum += powers[size_t(j)] = std::exp(score(b, h, i, j, x * scale));
        }
        for (int64_t d = 0; d < s.columns; d++) {
          double y = 0;
          for (int64_t j = 0; j < s.keys; j++) y += powers[size_t(j)] / sum * v(b, kh, j, d);
          ASSERT_NEAR(result(b, h, i, d), y, 1e-5) << b << " " << h << " " << i << " " << d;
        }
      }
}

inline NodeCase microsoft(std::string op, std::map<std::string, Attribute> attributes, std::vector<HostTensor> inputs,
                          std::vector<bool> absent = {}, int outputs = 1) {
  return {std::move(op), 1, std::move(attributes), std::move(inputs), {}, std::move(absent), outputs, "com.microsoft"};
}

}  // namespace cppgen::ops_test
