#pragma once
#include <optional>

#include "cppgen/custom/term.h"
#include "cppgen/ops/common.h"

namespace cppgen::custom {

// A value during the lowering of a statement: an expression, or a constant, which takes the type of the other operand.
struct Item {
  enum Kind : uint8_t { integer, number, truth };
  std::optional<ops::Scalar> scalar;
  Kind kind = number;  // of a constant
  int64_t whole = 0;   // integer, truth
  double value = 0;    // the same as a number

  static Item of(ops::Scalar s) { return {.scalar = s}; }
  static Item of(int64_t n) { return {.scalar = {}, .kind = integer, .whole = n, .value = double(n)}; }
  static Item of(double x) { return {.scalar = {}, .kind = number, .whole = 0, .value = x}; }
  static Item of(bool b) { return {.scalar = {}, .kind = truth, .whole = b, .value = double(b)}; }
  bool is_constant() const { return !scalar; }
};

// Operations on items. `term` is the operation; UserErrors name its place.
class ItemRules {
 public:
  explicit ItemRules(ops::LowerContext& c) : c_(c) {}

  ops::Scalar typed(const Term&, const Item&,
                    DType value_type) const;          // converts a constant to this type, or checks that a value has it
  ops::Scalar value(const Term&, const Item&) const;  // an item that is not a constant
  Item unary(const Term&, const Item&) const;
  Item binary(const Term&, const Item&, const Item&) const;
  Item where(const Term&, const Item& condition, const Item& then, const Item& otherwise) const;
  Item cast(const Term&, const Item&, DType storage) const;
  [[noreturn]] void fail(const Term&, const std::string& what) const;

 private:
  ops::LowerContext& c_;
  std::pair<ops::Scalar, ops::Scalar> of_one_type(const Term&, const Item&, const Item&) const;
};

}  // namespace cppgen::custom
