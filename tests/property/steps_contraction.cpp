// Matrix products, convolutions and pooling.
#include <algorithm>
#include <cmath>

#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

bool is_small_float(DType t) { return t == DType::f16 || t == DType::bf16; }

Fact product(Builder& b, ValueId x, ValueId y, double terms) {
  Fact fx = b.fact(x), fy = b.fact(y);
  double bound = terms * fx.bound * fy.bound;
  return {bound, terms * (fx.error * fy.bound + fy.error * fx.bound) +
                     2 * unit_of(b.dtype(x)) * (1 + std::sqrt(terms)) * bound};
}

std::optional<ValueId> pick_operand(Builder& b, size_t rank_lo, size_t rank_hi) {
  return b.pick([&](ValueId v) {
    return is_float(b.dtype(v)) && !(is_small_float(b.dtype(v)) && b.fact(v).bound > 10) && b.fact(v).bound < 100 &&
           b.rank(v) >= rank_lo && b.rank(v) <= rank_hi && b.shape(v).back().is_constant();
  });
}

bool matmul_weights(Builder& b) {
  auto x = pick_operand(b, 1, 4);
  if (!x) return false;
  int64_t k = b.shape(*x).back().constant(), n = b.extent();
  ValueId w = b.parameter(b.dtype(*x), {k, n}, -0.5, 0.5);
  ValueId y = b.add("MatMul", {*x, w}, product(b, *x, w, double(k)));
  if (b.chance(0.5)) {
    ValueId bias = b.parameter(b.dtype(y), {n});
    b.add("Add", {y, bias}, b.rounded(y, b.fact(y).bound + 1, b.fact(y).error));
  }
  return true;
}

// x times the transpose of a value with equal batch and K: the scores of attention.
bool matmul_values(Builder& b) {
  auto x = pick_operand(b, 2, 4);
  if (!x) return false;
  auto fits = [&](ValueId v) {
    if (b.dtype(v) != b.dtype(*x) || b.rank(v) != b.rank(*x) || b.fact(v).bound > 100) return false;
    for (size_t d = 0; d < b.rank(v); d++)
      if (d + 2 != b.rank(v) && !(b.shape(v)[d] == b.shape(*x)[d])) return false;
    return true;
  };
  ValueId y = *b.pick(fits);
  std::vector<int64_t> perm(b.rank(*x));
  for (size_t d = 0; d < perm.size(); d++) perm[d] = int64_t(d);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  ValueId t = b.add("Transpose", {y}, b.fact(y), {{"perm", perm}});
  b.add("MatMul", {*x, t}, product(b, *x, y, double(b.shape(*x).back().constant())));
  return true;
}

bool gemm(Builder& b) {
  auto x = pick_operand(b, 2, 2);
  if (!x) return false;
  bool ta = b.chance(0.3), tb = b.chance(0.5);
  IndexExpr K = b.shape(*x)[ta ? 0 : 1];
  if (!K.is_constant()) return false;
  int64_t k = K.constant(), n = b.extent();
  ValueId w = b.parameter(b.dtype(*x), tb ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n}, -0.5, 0.5);
  ValueId c = b.parameter(b.dtype(*x), b.chance(0.7) ? std::vector<int64_t>{n} : std::vector<int64_t>{});
  Fact f = product(b, *x, w, double(k));
  b.add("Gemm", {*x, w, c}, {f.bound + 1, 2 * f.error + 4 * unit_of(b.dtype(*x))},
        {{"transA", int64_t(ta)},
         {"transB", int64_t(tb)},
         {"alpha", b.chance(0.5) ? 1.0f : 0.5f},
         {"beta", b.chance(0.7) ? 1.0f : -0.5f}});
  return true;
}

std::optional<ValueId> pick_image(Builder& b) {
  return b.pick([&](ValueId v) {
    if (b.rank(v) < 3 || b.rank(v) > 4 || b.dtype(v) != DType::f32 || b.fact(v).bound > 100) return false;
    for (size_t d = 1; d < b.rank(v); d++)
      if (!b.shape(v)[d].is_constant() || (d > 1 && b.shape(v)[d].constant() < 3)) return false;
    return b.elements(b.shape(v)) <= 8000;
  });
}

bool conv(Builder& b) {
  auto x = pick_image(b);
  if (!x) return false;
  size_t spatial = b.rank(*x) - 2;
  int64_t channels = b.shape(*x)[1].constant(), group = 1;
  if (b.chance(0.3))
    group = channels;
  else if (channels % 2 == 0 && b.chance(0.3))
    group = 2;
  int64_t out = group * b.uniform(1, group > 4 ? 2 : 20);
  std::vector<int64_t> weight{out, channels / group}, strides, pads(2 * spatial), dilations;
  double terms = double(channels / group);
  for (size_t d = 0; d < spatial; d++) {
    int64_t k = b.any_of(std::vector<int64_t>{1, 1, 2, 3, 3});
    weight.push_back(k), terms *= double(k);
    strides.push_back(b.chance(0.7) ? 1 : 2);
    dilations.push_back(k == 2 && b.chance(0.3) ? 2 : 1);
    pads[d] = b.uniform(0, 1), pads[d + spatial] = b.uniform(0, 1);
  }
  ValueId w = b.parameter(DType::f32, weight, -0.5, 0.5);
  std::vector<ValueId> inputs{*x, w};
  if (b.chance(0.6)) inputs.push_back(b.parameter(DType::f32, {out}));
  Fact f = product(b, *x, w, terms);
  ValueId y = b.add("Conv", inputs, {f.bound + 1, f.error},
                    {{"group", group}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}});
  if (b.chance(0.4)) b.add("Relu", {y}, b.fact(y));
  return true;
}

bool conv_transpose(Builder& b) {
  auto x = pick_image(b);
  if (!x || b.rank(*x) != 4) return false;
  int64_t channels = b.shape(*x)[1].constant(), out = b.uniform(1, 6), k = b.uniform(1, 3), stride = b.uniform(1, 2);
  ValueId w = b.parameter(DType::f32, {channels, out, k, k}, -0.5, 0.5);
  b.add("ConvTranspose", {*x, w}, product(b, *x, w, double(channels * k * k)),
        {{"strides", std::vector<int64_t>{stride, stride}}});
  return true;
}

bool pool(Builder& b) {
  auto x = pick_image(b);
  if (!x) return false;
  size_t spatial = b.rank(*x) - 2;
  Fact f = b.fact(*x);
  if (b.chance(0.25)) {
    b.add("GlobalAveragePool", {*x}, {f.bound, f.error + f.bound * 1e3 * 0x1p-23});
    return true;
  }
  bool max = b.chance(0.5);
  std::map<std::string, Attribute> attributes{{"kernel_shape", std::vector<int64_t>(spatial, b.uniform(2, 3))},
                                              {"strides", std::vector<int64_t>(spatial, b.uniform(1, 2))},
                                              {"pads", std::vector<int64_t>(2 * spatial, b.uniform(0, 1))}};
  if (!max) attributes["count_include_pad"] = b.uniform(0, 1);
  b.add(max ? "MaxPool" : "AveragePool", {*x}, {f.bound, max ? f.error : f.error + 16 * 0x1p-23 * f.bound}, attributes);
  return true;
}

}  // namespace

void add_contraction_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"matmul_weights", 2, matmul_weights},
                             {"matmul_values", 1.5, matmul_values},
                             {"gemm", 1, gemm},
                             {"conv", 2, conv},
                             {"conv_transpose", 0.3, conv_transpose},
                             {"pool", 1, pool}});
}

}  // namespace cppgen::property
