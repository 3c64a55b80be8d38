#include <algorithm>
#include <array>

#include "runtime/base/checked.h"
#include "runtime/base/errors.h"
#include "runtime/plan/plan.h"

namespace cppgen::rt {
namespace {

// Deep enough for any expression that the compiler writes; a fixed stack keeps evaluation free of allocations.
constexpr size_t kMaxDepth = 256;
constexpr const char* kWhat = "dimension expression";

struct Stack {
  std::array<int64_t, kMaxDepth> values;
  size_t size = 0;

  void push(int64_t value) {
    if (size == kMaxDepth) user_error("{}: more than {} pending operands", kWhat, kMaxDepth);
    values[size++] = value;
  }
  int64_t pop() {
    if (size == 0) user_error("{}: an operator lacks an operand", kWhat);
    return values[--size];
  }
};

int64_t floor_divide(int64_t a, int64_t b) {
  if (b < 0) user_error("{}: division by {}; divisors are at least 0", kWhat, b);
  return b == 0 ? 0 : a / b - (a % b < 0);
}

int64_t apply(DimOp op, int64_t a, int64_t b) {
  switch (op) {
    case DimOp::add:
      return checked_add(a, b, kWhat);
    case DimOp::mul:
      return checked_mul(a, b, kWhat);
    case DimOp::floordiv:
      return floor_divide(a, b);
    case DimOp::mod:
      return b == 0 ? 0 : a - floor_divide(a, b) * b;
    case DimOp::min:
      return std::min(a, b);
    case DimOp::max:
      return std::max(a, b);
    default:
      user_error("{}: unknown operation {}", kWhat, int64_t(op));
  }
}

}  // namespace

int64_t evaluate(const DimExpr& expr, std::span<const int64_t> symbols) {
  Stack stack;
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op != DimOp::constant && op != DimOp::symbol) {
      const int64_t b = stack.pop(), a = stack.pop();
      stack.push(apply(op, a, b));
      continue;
    }
    if (++i == expr.code.size()) user_error("{}: it ends before an operand", kWhat);
    const int64_t operand = expr.code[i];
    if (op == DimOp::constant) {
      stack.push(operand);
    } else {
      if (operand < 0 || operand >= int64_t(symbols.size()))
        user_error("{}: symbol {} of {}", kWhat, operand, symbols.size());
      stack.push(symbols[size_t(operand)]);
    }
  }
  if (stack.size != 1) user_error("{}: it yields {} values instead of 1", kWhat, stack.size);
  return stack.values[0];
}

bool uses_symbol(const DimExpr& expr, int64_t symbol) {
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op != DimOp::constant && op != DimOp::symbol) continue;
    i++;
    if (op == DimOp::symbol && i < expr.code.size() && expr.code[i] == symbol) return true;
  }
  return false;
}

}  // namespace cppgen::rt
