#include "cppgen/custom/item.h"

#include <algorithm>
#include <cmath>

#include "cppgen/ir/values/fold.h"
#include "cppgen/ir/values/op_table.h"
#include "cppgen/ops/convert.h"

namespace cppgen::custom {
namespace {

using ops::Scalar;

// Numbers, or truth values where the operation yields these; nullopt if it does not take numbers.
std::optional<Item> folded(ir::UnaryOp op, const Item& x) {
  if (op == ir::UnaryOp::logical_not) return Item::of(x.whole == 0);
  if (op == ir::UnaryOp::neg && x.kind == Item::integer) return Item::of(*ir::fold(op, x.whole));
  const std::optional<double> number = ir::fold(op, x.value);
  if (!number) return std::nullopt;
  return ir::row_of(op).gives_bool ? Item::of(*number != 0) : Item::of(*number);
}

// Sums, differences, products and extrema of integers are integers; everything else is computed with numbers.
std::optional<Item> folded(ir::BinaryOp op, const Item& a, const Item& b) {
  using enum ir::BinaryOp;
  const bool keeps_integers = op == add || op == sub || op == mul || op == mod_floor || op == min || op == max;
  if (keeps_integers && a.kind == Item::integer && b.kind == Item::integer)
    return Item::of(*ir::fold(op, a.whole, b.whole));
  const std::optional<double> number = ir::fold(op, a.value, b.value);
  if (!number) return std::nullopt;
  return ir::row_of(op).compares ? Item::of(*number != 0) : Item::of(*number);
}

// The result of an operation on two constants; nullopt if it does not take numbers.
std::optional<Item> folded(const Operation& operation, const Item& a, const Item& b) {
  if (const auto* op = std::get_if<ir::BinaryOp>(&operation)) return folded(*op, a, b);
  const Own own = std::get<Own>(operation);
  if (own == Own::logical_and) return Item::of(a.whole != 0 && b.whole != 0);
  if (own == Own::logical_or) return Item::of(a.whole != 0 || b.whole != 0);
  const double down = std::floor(a.value / b.value);
  const bool integers = a.kind == Item::integer && b.kind == Item::integer && b.whole != 0;
  return integers ? Item::of(int64_t(down)) : Item::of(down);
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
  const auto op = std::get<ir::UnaryOp>(term.operation);
  if (x.is_constant())
    if (const auto constant = folded(op, x)) return *constant;
  const Scalar s = value(term, x);
  if (!ir::allows(ir::row_of(op).operand, s.type()))
    fail(term, fmt::format("'{}' is not defined for {}", term.name, name_of(s.type())));
  return Item::of(s.unary(op));
}

Item ItemRules::binary(const Term& term, const Item& a, const Item& b) const {
  if (a.is_constant() && b.is_constant()) {
    if (const auto constant = folded(term.operation, a, b)) return *constant;
    fail(term, fmt::format("'{}' has only constant operands; cast(e, float32) gives one of them a type", term.name));
  }
  const auto [x, y] = of_one_type(term, a, b);
  if (term.is(Own::floor_division)) {
    if (x.type() == DType::boolean) fail(term, "'//' is not defined for bool");
    if (is_float(x.type())) return Item::of(ops::floor(x / y));
    return Item::of((x - x.binary(ir::BinaryOp::mod_floor, y)) / y);
  }
  const bool logical = std::holds_alternative<Own>(term.operation);
  const ir::BinaryOp op = !logical                    ? std::get<ir::BinaryOp>(term.operation)
                          : term.is(Own::logical_and) ? ir::BinaryOp::bit_and
                                                      : ir::BinaryOp::bit_or;
  if (!ir::allows(ir::row_of(op).operands, x.type()) || (logical && x.type() != DType::boolean))
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
