#include <algorithm>
#include <cmath>

#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

struct Curve {
  const char* op;
  double most_bound;  // of the operand
  double slope;       // Lipschitz bound on that domain; 0: e^bound
  double bound;       // of the result; < 0: slope * operand's bound + 1
  double roundings = 4;
};

const Curve kCurves[] = {
    {"Tanh", 1e4, 1, 1},       {"Sigmoid", 1e4, 0.25, 1},  {"Erf", 1e4, 1.2, 1},       {"Exp", 4, 0, 60},
    {"Softplus", 60, 1, -1},   {"Sin", 200, 1, 1},         {"Cos", 200, 1, 1},         {"Elu", 60, 1, -1},
    {"LeakyRelu", 1e4, 1, -1}, {"HardSigmoid", 1e4, 1, 1}, {"HardSwish", 60, 1.5, -1}, {"Softsign", 1e4, 1, 1},
    {"Gelu", 60, 1.2, -1},     {"Mish", 30, 1.2, -1},      {"Atan", 1e4, 1, 1.6},      {"Asinh", 1e4, 1, 12},
    {"Selu", 60, 2, -1},       {"Celu", 60, 1, -1},        {"Sinh", 3, 11, 11},        {"Cosh", 3, 11, 11}};

bool curve(Builder& b) {
  const Curve& c = kCurves[size_t(b.uniform(0, int64_t(std::size(kCurves)) - 1))];
  auto x = b.pick_float(c.most_bound);
  if (!x) return false;
  double slope = c.slope > 0 ? c.slope : std::exp(b.fact(*x).bound);
  double bound = c.bound >= 0 ? c.bound : slope * b.fact(*x).bound + 1;
  b.add(c.op, {*x}, {bound, slope * b.fact(*x).error + c.roundings * unit_of(b.dtype(*x)) * bound});
  return true;
}

// Exact: the same bits whatever the instruction set.
bool exact_unary(Builder& b) {
  static const std::vector<const char*> ops{"Relu", "Relu", "Abs", "Neg", "Identity"};
  auto x = b.pick_float();
  if (!x) return false;
  b.add(b.any_of(ops), {*x}, b.fact(*x));
  return true;
}

bool clip(Builder& b) {
  auto x = b.pick_float();
  if (!x) return false;
  ValueId lo = b.scalar(b.dtype(*x), -0.75), hi = b.scalar(b.dtype(*x), 1.5);
  b.add("Clip", {*x, lo, hi}, {1.5, b.fact(*x).error});
  return true;
}

// |x| + 0.5, then an operator that needs a positive operand.
bool positive(Builder& b) {
  auto x = b.pick_float(100);
  if (!x) return false;
  DType t = b.dtype(*x);
  ValueId a = b.add("Abs", {*x}, b.fact(*x));
  ValueId p = b.add("Add", {a, b.scalar(t, 0.5)}, b.rounded(*x, b.fact(*x).bound + 0.5, b.fact(*x).error));
  Fact f = b.fact(p);
  double u = 4 * unit_of(t);
  switch (b.uniform(0, 3)) {
    case 0:
      b.add("Sqrt", {p}, {f.bound, f.error + u * f.bound});
      break;
    case 1:
      b.add("Log", {p}, {5, 2 * f.error + 5 * u});
      break;
    case 2:
      b.add("Reciprocal", {p}, {2, 4 * f.error + 2 * u});
      break;
    default:
      b.add("Pow", {p, b.scalar(t, b.chance(0.5) ? 0.5 : 1.5)}, {f.bound * 15, 20 * (f.error + u * f.bound)});
      break;
  }
  return true;
}

// A partner for `x`: a value of equal shape, or something that broadcasts against it.
std::optional<ValueId> partner(Builder& b, ValueId x) {
  if (b.chance(0.5))
    if (auto y = b.pick(
            [&](ValueId v) { return b.dtype(v) == b.dtype(x) && b.shape(v) == b.shape(x) && b.fact(v).bound < 1e4; }))
      return y;
  std::vector<int64_t> dims;
  size_t rank = size_t(b.uniform(0, int64_t(b.rank(x))));
  for (size_t d = b.rank(x) - rank; d < b.rank(x); d++) {
    IndexExpr e = b.shape(x)[d];
    dims.push_back(e.is_constant() && b.chance(0.7) ? e.constant() : 1);
  }
  return b.parameter(b.dtype(x), dims);
}

bool binary(Builder& b) {
  auto x = b.pick_float(1e3);
  if (!x) return false;
  auto y = partner(b, *x);
  Fact fx = b.fact(*x), fy = b.fact(*y);
  if (b.chance(0.5)) std::swap(*x, *y), std::swap(fx, fy);
  switch (b.uniform(0, 5)) {
    case 0:
      b.add("Add", {*x, *y}, b.rounded(*x, fx.bound + fy.bound, fx.error + fy.error));
      break;
    case 1:
      b.add("Sub", {*x, *y}, b.rounded(*x, fx.bound + fy.bound, fx.error + fy.error));
      break;
    case 2:
      b.add("Mul", {*x, *y}, b.rounded(*x, fx.bound * fy.bound, fx.error * fy.bound + fy.error * fx.bound));
      break;
    case 3:
      b.add("Max", {*x, *y}, {std::max(fx.bound, fy.bound), std::max(fx.error, fy.error)});
      break;
    case 4:
      b.add("Min", {*x, *y}, {std::max(fx.bound, fy.bound), std::max(fx.error, fy.error)});
      break;
    default:
      b.add("Mean", {*x, *y}, b.rounded(*x, fx.bound + fy.bound, fx.error + fy.error));
      break;
  }
  return true;
}

bool divide(Builder& b) {
  auto x = b.pick_float(1e3);
  if (!x) return false;
  Fact f = b.fact(*x);
  std::vector<int64_t> dims;
  if (b.rank(*x) && b.shape(*x).back().is_constant()) dims.push_back(b.shape(*x).back().constant());
  ValueId y = b.parameter(b.dtype(*x), dims, 0.5, 3);
  b.add("Div", {*x, y}, b.rounded(*x, 2 * f.bound, 2 * f.error));
  return true;
}

bool prelu(Builder& b) {
  auto x = b.pick_float(1e3);
  if (!x) return false;
  Fact f = b.fact(*x);
  std::vector<int64_t> dims;
  if (b.rank(*x) && b.shape(*x).back().is_constant()) dims.push_back(b.shape(*x).back().constant());
  b.add("PRelu", {*x, b.parameter(b.dtype(*x), dims)}, b.rounded(*x, f.bound, f.error));
  return true;
}

bool convert_float(Builder& b) {
  auto x = b.pick_float(1e3);
  if (!x) return false;
  static const std::vector<std::pair<DType, int64_t>> to{
      {DType::f32, 1}, {DType::f32, 1}, {DType::f64, 11}, {DType::f16, 10}, {DType::bf16, 16}};
  auto [t, code] = b.any_of(to);
  Fact f = b.fact(*x);
  double error = f.error;
  // Rounding something inexact may go either way; something exact gives the same bits unless a fused chain keeps more.
  error += size_of(t) < size_of(b.dtype(*x)) || is_float(b.dtype(*x)) ? unit_of(t) * f.bound : 0;
  b.add("Cast", {*x}, {f.bound, error}, {{"to", code}});
  return true;
}

}  // namespace

void add_pointwise_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"curve", 5, curve},
                             {"exact_unary", 4, exact_unary},
                             {"clip", 1, clip},
                             {"positive", 1, positive},
                             {"binary", 8, binary},
                             {"divide", 1, divide},
                             {"prelu", 0.5, prelu},
                             {"convert_float", 1, convert_float}});
}

}  // namespace cppgen::property
