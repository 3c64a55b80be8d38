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

// Part of a formula and how strongly it holds together: 0 for a sum, 1 for a product or quotient, 2 for all else.
struct Formula {
  std::string text;
  int strength = 2;

  std::string inside(int least) const { return strength < least ? "(" + text + ")" : text; }
};

Formula formula(DimOp op, const Formula& a, const Formula& b) {
  const std::string_view neutral = op == DimOp::add ? "0" : op == DimOp::mul ? "1" : "";
  if (a.text == neutral) return b;
  if (b.text == neutral) return a;
  switch (op) {
    case DimOp::add:
      return {b.text.starts_with("-") ? a.text + " - " + b.text.substr(1) : a.text + " + " + b.text, 0};
    case DimOp::mul:
      return {a.inside(1) + "*" + b.inside(1), 1};
    case DimOp::floordiv:
      return {a.inside(1) + "//" + b.inside(2), 1};
    case DimOp::mod:
      return {a.inside(1) + "%" + b.inside(2), 1};
    case DimOp::min:
      return {"min(" + a.text + ", " + b.text + ")"};
    case DimOp::max:
      return {"max(" + a.text + ", " + b.text + ")"};
    default:
      return {"?"};
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

std::string dim_text(const DimExpr& expr, std::span<const Symbol> symbols) {
  std::vector<Formula> stack;
  for (size_t i = 0; i < expr.code.size(); i++) {
    const auto op = DimOp(expr.code[i]);
    if (op != DimOp::constant && op != DimOp::symbol) {
      if (stack.size() < 2) return "?";
      const Formula b = std::move(stack.back());
      stack.pop_back();
      stack.back() = formula(op, stack.back(), b);
      continue;
    }
    if (++i == expr.code.size()) return "?";
    const int64_t operand = expr.code[i];
    if (op == DimOp::constant)
      stack.push_back({std::to_string(operand)});
    else
      stack.push_back({operand >= 0 && operand < int64_t(symbols.size()) ? symbols[size_t(operand)].name : "?"});
  }
  return stack.size() == 1 ? stack[0].text : "?";
}

}  // namespace cppgen::rt
