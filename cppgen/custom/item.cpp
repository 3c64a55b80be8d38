#include "cppgen/custom/item.h"

#include <algorithm>
#include <cmath>

#include "cppgen/custom/functions.h"
#include "cppgen/ir/op_table.h"
#include "cppgen/ops/convert.h"

namespace cppgen::custom {
namespace {

using ops::Scalar;

// Functions of constants alone; others are taken of values.
std::optional<double> folded(const std::string& function, double x) {
  if (function == "abs") return std::fabs(x);
  if (function == "floor") return std::floor(x);
  if (function == "ceil") return std::ceil(x);
  if (function == "sqrt") return std::sqrt(x);
  if (function == "exp") return std::exp(x);
  if (function == "log") return std::log(x);
  return std::nullopt;
}

int64_t wrapped(char op, int64_t a, int64_t b) {
  const auto x = uint64_t(a), y = uint64_t(b);
  return int64_t(op == '+' ? x + y : op == '-' ? x - y : x * y);
}

std::optional<Item> compared(const std::string& op, double a, double b) {
  if (op == "<") return Item::of(a < b);
  if (op == "<=") return Item::of(a <= b);
  if (op == ">") return Item::of(a > b);
  if (op == ">=") return Item::of(a >= b);
  if (op == "==") return Item::of(a == b);
  if (op == "!=") return Item::of(a != b);
  return std::nullopt;
}

// Folds an operation on two constants; nullopt if there is no rule.
std::optional<Item> folded(const std::string& op, const Item& a, const Item& b) {
  if (op == "and") return Item::of(a.whole != 0 && b.whole != 0);
  if (op == "or") return Item::of(a.whole != 0 || b.whole != 0);
  if (auto truth = compared(op, a.value, b.value)) return truth;
  const bool integers = a.kind == Item::integer && b.kind == Item::integer;
  if (op == "+" || op == "-" || op == "*") {
    if (integers) return Item::of(wrapped(op[0], a.whole, b.whole));
    return Item::of(op == "+" ? a.value + b.value : op == "-" ? a.value - b.value : a.value * b.value);
  }
  if (op == "/") return Item::of(a.value / b.value);
  if (op == "//") {
    const double down = std::floor(a.value / b.value);
    if (integers && b.whole != 0) return Item::of(int64_t(down));
    return Item::of(down);
  }
  if (op == "min" || op == "max") {
    const bool first = op == "min" ? a.value <= b.value : a.value >= b.value;
    return first ? a : b;
  }
  if (op == "pow") return Item::of(std::pow(a.value, b.value));
  return std::nullopt;
}

}  // namespace

void ItemRules::fail(const Term& term, const std::string& what) const {
  c_.fail(fmt::format("{}: {}", place_of(*term.source, term.position), what));
}

Scalar ItemRules::typed(const Term& term, const Item& item, DType type) const {
  if (item.scalar) {
    if (item.scalar->type() != type)
      fail(term, fmt::format("a value of type {} is used where {} is required; cast(e, {}) converts",
                             name_of(item.scalar->type()), name_of(type), name_of(type)));
    return *item.scalar;
  }
  if ((type == DType::boolean) != (item.kind == Item::truth))
    fail(term, fmt::format("{} is used where {} is required", item.kind == Item::truth ? "a truth value" : "a number",
                           name_of(type)));
  if (is_float(type)) return ops::number(c_, type, item.value);
  if (item.kind == Item::number && item.value != std::floor(item.value))
    fail(term, fmt::format("{} is not a value of type {}", item.value, name_of(type)));
  const int64_t whole = item.kind == Item::number ? int64_t(std::clamp(item.value, -0x1p62, 0x1p62)) : item.whole;
  return ops::scalar(c_, c_.exprs().constant_int(type, whole));
}

Scalar ItemRules::value(const Term& term, const Item& item) const {
  if (item.scalar) return *item.scalar;
  fail(term, "a constant has no type of its own here; cast(e, float32) gives it one");
}

std::pair<Scalar, Scalar> ItemRules::of_one_type(const Term& term, const Item& a, const Item& b) const {
  const DType type = a.scalar ? a.scalar->type() : b.scalar->type();
  if (a.scalar && b.scalar && b.scalar->type() != type)
    fail(term, fmt::format("'{}' has operands of types {} and {}; cast(e, {}) converts", term.name, name_of(type),
                           name_of(b.scalar->type()), name_of(type)));
  return {typed(term, a, type), typed(term, b, type)};
}

Item ItemRules::unary(const Term& term, const Item& x) const {
  if (x.is_constant()) {
    if (term.name == "not") return Item::of(x.whole == 0);
    if (term.name == "-") return x.kind == Item::integer ? Item::of(wrapped('-', 0, x.whole)) : Item::of(-x.value);
    if (const auto value = folded(term.name, x.value)) return Item::of(*value);
  }
  const Scalar s = value(term, x);
  const ir::UnaryOp op = term.name == "-"     ? ir::UnaryOp::neg
                         : term.name == "not" ? ir::UnaryOp::logical_not
                                              : *unary_named(term.name);
  if (!ir::allows(ir::row_of(op).operand, s.type()))
    fail(term, fmt::format("'{}' is not defined for {}", term.name, name_of(s.type())));
  return Item::of(s.unary(op));
}

Item ItemRules::binary(const Term& term, const Item& a, const Item& b) const {
  if (a.is_constant() && b.is_constant()) {
    if (const auto constant = folded(term.name, a, b)) return *constant;
    fail(term, fmt::format("'{}' has only constant operands; cast(e, float32) gives one of them a type", term.name));
  }
  const auto [x, y] = of_one_type(term, a, b);
  if (term.name == "//") {
    if (x.type() == DType::boolean) fail(term, "'//' is not defined for bool");
    if (is_float(x.type())) return Item::of(ops::floor(x / y));
    return Item::of((x - x.binary(ir::BinaryOp::mod_floor, y)) / y);
  }
  const ir::BinaryOp op = binary_signed(term.name) ? *binary_signed(term.name) : *binary_named(term.name);
  const bool logic = term.name == "and" || term.name == "or";
  if (!ir::allows(ir::row_of(op).operands, x.type()) || (logic && x.type() != DType::boolean))
    fail(term, fmt::format("'{}' is not defined for {}", term.name, name_of(x.type())));
  return Item::of(x.binary(op, y));
}

Item ItemRules::where(const Term& term, const Item& condition, const Item& then, const Item& otherwise) const {
  if (condition.is_constant()) {
    if (condition.kind != Item::truth) fail(term, "the first argument of 'where' is not a condition");
    return condition.whole != 0 ? then : otherwise;
  }
  if (condition.scalar->type() != DType::boolean)
    fail(term, fmt::format("the first argument of 'where' is {}, not bool", name_of(condition.scalar->type())));
  if (then.is_constant() && otherwise.is_constant())
    fail(term, "'where' has only constants to choose from; cast(e, float32) gives one of them a type");
  const auto [a, b] = of_one_type(term, then, otherwise);
  return Item::of(ops::select(*condition.scalar, a, b));
}

Item ItemRules::cast(const Term& term, const Item& x, DType storage) const {
  if (is_narrow(storage)) fail(term, fmt::format("{} is a storage type", name_of(storage)));
  if (x.scalar) return Item::of(ops::converted(*x.scalar, storage));
  const DType type = ir::value_type(storage);
  const DType own = x.kind == Item::truth ? DType::boolean : x.kind == Item::integer ? DType::i64 : DType::f64;
  return Item::of(ops::converted(typed(term, x, own).cast(type), storage));
}

}  // namespace cppgen::custom
