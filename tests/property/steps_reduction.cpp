#include <algorithm>
#include <cmath>

#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

double extent_of(IndexExpr e) { return e.is_constant() ? double(e.constant()) : 64; }

// Some axes, and how many elements they have together.
std::pair<std::vector<int64_t>, double> random_axes(Builder& b, ValueId x) {
  std::vector<int64_t> axes;
  double n = 1;
  for (size_t d = 0; d < b.rank(x); d++)
    if (b.chance(0.5)) axes.push_back(int64_t(d));
  if (axes.empty()) axes.push_back(int64_t(b.rank(x)) - 1);
  for (int64_t a : axes) n *= extent_of(b.shape(x)[size_t(a)]);
  return {axes, n};
}

bool reduce(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && is_float(b.dtype(v)) && b.fact(v).bound < 1e3; });
  if (!x) return false;
  auto [axes, n] = random_axes(b, *x);
  Fact f = b.fact(*x);
  double u = unit_of(b.dtype(*x));
  if (b.dtype(*x) == DType::f16 && n * f.bound * f.bound > 1e4) return false;
  std::map<std::string, Attribute> keep{{"keepdims", b.uniform(0, 1)}};
  ValueId at = b.ints(axes);
  double sum = n * f.bound, squares = n * f.bound * f.bound;
  switch (b.uniform(0, 7)) {
    case 0:
      b.add("ReduceSum", {*x, at}, {sum, n * f.error + n * u * f.bound}, keep);
      break;
    case 1:
      b.add("ReduceMean", {*x, at}, {f.bound, f.error + 2 * n * u * f.bound}, keep);
      break;
    case 2:
      b.add("ReduceMax", {*x, at}, f, keep);
      break;
    case 3:
      b.add("ReduceMin", {*x, at}, f, keep);
      break;
    case 4:
      b.add("ReduceL1", {*x, at}, {sum, n * f.error + n * u * f.bound}, keep);
      break;
    case 5:
      b.add("ReduceSumSquare", {*x, at}, {squares, 2 * n * f.bound * f.error + n * u * squares}, keep);
      break;
    case 6:
      b.add("ReduceLogSumExp", {*x, at}, {f.bound + std::log(n) + 1, f.error + 8 * u * (n + f.bound)}, keep);
      break;
    default:
      b.add("ReduceMean", {*x, at}, {f.bound, f.error + 2 * n * u * f.bound}, keep);
      break;
  }
  return true;
}

bool reduce_integers(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && is_int(b.dtype(v)); });
  if (!x) return false;
  static const std::vector<const char*> wide{"ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"};
  static const std::vector<const char*> narrow{"ReduceMax", "ReduceMin"};
  b.add(b.any_of(size_of(b.dtype(*x)) >= 4 ? wide : narrow), {*x, b.ints(random_axes(b, *x).first)}, {1e19, 0},
        {{"keepdims", b.uniform(0, 1)}});
  return true;
}

bool softmax(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && is_float(b.dtype(v)) && b.fact(v).bound < 100; });
  if (!x) return false;
  int64_t axis = b.uniform(0, int64_t(b.rank(*x)) - 1);
  Fact f = b.fact(*x);
  double n = extent_of(b.shape(*x)[size_t(axis)]), u = unit_of(b.dtype(*x));
  bool log = b.chance(0.25);
  double error = 4 * f.error + u * (8 + n / 8 + 2 * f.bound);
  b.add(log ? "LogSoftmax" : "Softmax", {*x}, {log ? 2 * f.bound + std::log(n) : 1, error}, {{"axis", axis}});
  return true;
}

// The exported form: max, subtract, exp, sum, divide.
bool softmax_pattern(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && b.dtype(v) == DType::f32 && b.fact(v).bound < 30; });
  if (!x) return false;
  Fact f = b.fact(*x);
  IndexExpr last = b.shape(*x).back();
  double n = extent_of(last), u = unit_of(DType::f32), error = f.error * 2 + 2 * u * f.bound;
  ValueId axis = b.ints({-1});
  ValueId most = b.add("ReduceMax", {*x, axis}, f);
  ValueId shifted = b.add("Sub", {*x, most}, {2 * f.bound, error});
  ValueId exps = b.add("Exp", {shifted}, {1, error + 4 * u});
  ValueId sum = b.add("ReduceSum", {exps, axis}, {n, n * (error + 6 * u)});
  b.add("Div", {exps, sum}, {1, (n + 1) * (error + 8 * u)});
  return true;
}

double normalized_error(double error, double bound, double n, double u) {
  return 12 * error * (1 + bound) + u * (n + 16) * (1 + bound) * (1 + bound) * 4;
}

constexpr float kEpsilon = 0.1f;

bool layer_normalization(Builder& b) {
  auto x = b.pick([&](ValueId v) {
    return b.rank(v) >= 1 && b.shape(v).back().is_constant() && b.dtype(v) == DType::f32 && b.fact(v).bound < 20;
  });
  if (!x) return false;
  int64_t n = b.shape(*x).back().constant();
  ValueId scale = b.parameter(DType::f32, {n}), bias = b.parameter(DType::f32, {n});
  Fact f = b.fact(*x);
  b.add("LayerNormalization", {*x, scale, bias},
        {std::sqrt(double(n)) + 1, normalized_error(f.error, f.bound, double(n), 0x1p-23)},
        {{"axis", int64_t{-1}}, {"epsilon", kEpsilon}});
  return true;
}

// The exported form: mean, subtract, square, mean, add, sqrt, divide.
bool layer_normalization_pattern(Builder& b) {
  auto x = b.pick([&](ValueId v) { return b.rank(v) >= 1 && b.dtype(v) == DType::f32 && b.fact(v).bound < 20; });
  if (!x) return false;
  Fact f = b.fact(*x);
  double n = extent_of(b.shape(*x).back()), u = 0x1p-23;
  Fact wide{4 * f.bound * f.bound, normalized_error(f.error, f.bound, n, u)};
  ValueId axis = b.ints({-1});
  ValueId mean = b.add("ReduceMean", {*x, axis}, wide);
  ValueId centred = b.add("Sub", {*x, mean}, wide);
  ValueId squares = b.add("Mul", {centred, centred}, wide);
  ValueId variance = b.add("ReduceMean", {squares, axis}, wide);
  ValueId guarded = b.add("Add", {variance, b.scalar(DType::f32, kEpsilon)}, wide);
  ValueId deviation = b.add("Sqrt", {guarded}, wide);
  b.add("Div", {centred, deviation}, {std::sqrt(n) + 1, 4 * wide.error});
  return true;
}

bool channel_normalization(Builder& b) {
  auto x = b.pick([&](ValueId v) {
    return b.rank(v) >= 3 && b.shape(v)[1].is_constant() && b.dtype(v) == DType::f32 && b.fact(v).bound < 20;
  });
  if (!x) return false;
  int64_t c = b.shape(*x)[1].constant();
  Fact f = b.fact(*x);
  double n = double(b.elements(b.shape(*x)));
  ValueId scale = b.parameter(DType::f32, {c}), bias = b.parameter(DType::f32, {c});
  Fact out{std::sqrt(n) + 1, normalized_error(f.error, f.bound, n, 0x1p-23)};
  if (b.chance(0.4)) {
    b.add("InstanceNormalization", {*x, scale, bias}, out, {{"epsilon", kEpsilon}});
  } else {
    ValueId mean = b.constant(DType::f32, {c}, -1, 1), variance = b.constant(DType::f32, {c}, 0.5, 2);
    b.add("BatchNormalization", {*x, scale, bias, mean, variance},
          {2 * f.bound + 4, 2 * f.error + 16 * 0x1p-23 * (2 * f.bound + 4)}, {{"epsilon", kEpsilon}});
  }
  return true;
}

}  // namespace

void add_reduction_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"reduce", 4, reduce},
                             {"reduce_integers", 0.7, reduce_integers},
                             {"softmax", 1.5, softmax},
                             {"softmax_pattern", 1, softmax_pattern},
                             {"layer_normalization", 1, layer_normalization},
                             {"layer_normalization_pattern", 1, layer_normalization_pattern},
                             {"channel_normalization", 1, channel_normalization}});
}

}  // namespace cppgen::property
