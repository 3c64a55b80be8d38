#include <algorithm>
#include <cmath>

#include "cppgen/passes/canonical_rules.h"

namespace cppgen::passes {
namespace {

constexpr int64_t kMaxInspected = 4096;  // elements of an operand that are looked at

bool all_equal(const Tensor& t, double value, bool negative_zero) {
  if (t.elements() == 0 || t.elements() > kMaxInspected || t.dtype == DType::boolean) return false;
  if (is_float(t.dtype)) {
    auto numbers = numbers_of(t);
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](double x) { return x == value && (x != 0 || std::signbit(x) == negative_zero); });
  }
  auto numbers = integers_of(t);
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t x) { return x == int64_t(value); });
}

// Forwards operand `kept` if the other one is all `value` and broadcasting changes nothing.
bool drop_operand(RuleContext& c, size_t kept, double value, bool negative_zero = false) {
  const Tensor* other = c.constant(1 - kept);
  if (c.node.opset < kBroadcastingOpset || !other || !all_equal(*other, value, negative_zero)) return false;
  const TensorType &from = c.type(c.in(kept)), &to = c.type(c.out());
  if (from.dtype != to.dtype || !same_shape(from.shape, to.shape)) return false;
  c.forward(c.in(kept));
  return true;
}

// x + 0 would turn -0 into 0; only -0 is neutral (for integers the two are one).
bool drop_zero(RuleContext& c) { return drop_operand(c, 0, 0, true) || drop_operand(c, 1, 0, true); }
bool subtract(RuleContext& c) { return drop_operand(c, 0, 0); }
bool multiply(RuleContext& c) { return drop_operand(c, 0, 1) || drop_operand(c, 1, 1); }
bool power(RuleContext& c) { return drop_operand(c, 0, 1); }

// Division by 2^k is exactly multiplication by 2^-k when both are normal numbers.
bool divide(RuleContext& c) {
  if (drop_operand(c, 0, 1)) return true;
  const Tensor* divisor = c.constant(1);
  if (!divisor || (divisor->dtype != DType::f32 && divisor->dtype != DType::f64)) return false;
  if (divisor->elements() == 0 || divisor->elements() > kMaxInspected) return false;
  std::vector<double> values = numbers_of(*divisor);
  for (double& v : values) {
    int exponent = 0;
    if (!std::isfinite(v) || std::fabs(std::frexp(v, &exponent)) != 0.5 || std::abs(exponent) > 120) return false;
    v = 1 / v;
  }
  ValueId factor =
      c.graph.add_constant(c.graph.value(c.in(1)).name, make_floats(divisor->dtype, divisor->dims, values));
  c.node.op = "Mul";
  c.node.inputs[1] = factor;
  return true;
}

bool sum_of_two(RuleContext& c) {
  if (c.node.inputs.size() != 2 || c.node.opset < 8) return false;
  c.node.op = "Add";
  return true;
}

constexpr CanonicalRule kArithmeticRules[] = {{"Sum", sum_of_two}, {"Add", drop_zero}, {"Sub", subtract},
                                              {"Mul", multiply},   {"Div", divide},    {"Pow", power}};

}  // namespace

std::span<const CanonicalRule> arithmetic_rules() { return kArithmeticRules; }

}  // namespace cppgen::passes
