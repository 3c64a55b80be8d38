// Integers, bools, comparisons and other operators that only make sense on exact operands.
#include "tests/property/builder.h"

namespace cppgen::property {
namespace {

std::optional<ValueId> pick_exact(Builder& b, bool (*wanted)(DType)) {
  return b.pick([&](ValueId v) { return wanted(b.dtype(v)) && b.fact(v).error == 0; });
}
bool any_float(DType t) { return is_float(t); }
bool any_int(DType t) { return is_int(t); }
bool any_number(DType t) { return t != DType::boolean; }
bool any_bool(DType t) { return t == DType::boolean; }

bool round_exact(Builder& b) {
  static const std::vector<const char*> ops{"Floor", "Ceil", "Round", "Sign"};
  auto x = pick_exact(b, any_float);
  if (!x) return false;
  b.add(b.any_of(ops), {*x}, {b.fact(*x).bound + 1, 0});
  return true;
}

bool test_float(Builder& b) {
  auto x = pick_exact(b, any_float);
  if (!x) return false;
  b.add(b.chance(0.5) ? "IsNaN" : "IsInf", {*x}, {1, 0});
  return true;
}

bool convert_exact(Builder& b) {
  auto x = pick_exact(b, [](DType) { return true; });
  if (!x) return false;
  static const std::vector<std::pair<DType, int64_t>> to{
      {DType::u8, 2},      {DType::i8, 3},   {DType::u16, 4},  {DType::i16, 5}, {DType::i32, 6}, {DType::i64, 7},
      {DType::boolean, 9}, {DType::u32, 12}, {DType::u64, 13}, {DType::f32, 1}, {DType::f32, 1}};
  auto [t, code] = b.any_of(to);
  if (is_float(t) && is_float(b.dtype(*x))) return false;
  // Integers reach any value by wrapping, so as floats they may be large: rounded, scaled back.
  ValueId y = b.add("Cast", {*x}, {is_int(t) ? 1e19 : 1, 0}, {{"to", code}});
  if (is_float(t) && !(b.dtype(*x) == DType::boolean))
    b.result.facts[size_t(y)].bound = size_of(b.dtype(*x)) == 1 ? 256 : 1e19;
  return true;
}

ValueId int_partner(Builder& b, ValueId x, int64_t lo, int64_t hi) {
  std::vector<int64_t> dims;
  if (b.rank(x) && b.shape(x).back().is_constant() && b.chance(0.6)) dims.push_back(b.shape(x).back().constant());
  return b.parameter(b.dtype(x), dims, double(lo), double(hi));
}

bool int_arithmetic(Builder& b) {
  auto x = pick_exact(b, any_int);
  if (!x) return false;
  auto same = b.pick([&](ValueId v) { return b.dtype(v) == b.dtype(*x) && b.shape(v) == b.shape(*x); });
  static const std::vector<const char*> ops{"Add", "Sub", "Mul", "Max", "Min", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
  b.add(b.any_of(ops), {*x, b.chance(0.5) ? *same : int_partner(b, *x, 0, 7)}, {1e19, 0});
  return true;
}

bool int_division(Builder& b) {
  auto x = pick_exact(b, any_int);
  if (!x) return false;
  std::map<std::string, Attribute> attributes;
  bool remainder = b.chance(0.5);
  if (remainder && b.chance(0.3)) attributes["fmod"] = int64_t{1};
  b.add(remainder ? "Mod" : "Div", {*x, int_partner(b, *x, 1, 9)}, {1e19, 0}, attributes);
  return true;
}

bool int_unary(Builder& b) {
  auto x = pick_exact(b, any_int);
  if (!x) return false;
  if (is_signed_int(b.dtype(*x)) && b.chance(0.7)) {
    static const std::vector<const char*> ops{"Abs", "Neg", "Sign", "Relu"};
    b.add(b.any_of(ops), {*x}, {1e19, 0});
  } else {
    b.add("BitwiseNot", {*x}, {1e19, 0});
  }
  return true;
}

bool shift(Builder& b) {
  auto x = b.pick([&](ValueId v) { return is_unsigned_int(b.dtype(v)); });
  if (!x) return false;
  b.add("BitShift", {*x, int_partner(b, *x, 0, 7)}, {1e19, 0},
        {{"direction", std::string(b.chance(0.5) ? "LEFT" : "RIGHT")}});
  return true;
}

bool compare(Builder& b) {
  auto x = pick_exact(b, any_number);
  if (!x) return false;
  auto y =
      b.pick([&](ValueId v) { return b.dtype(v) == b.dtype(*x) && b.shape(v) == b.shape(*x) && b.fact(v).error == 0; });
  static const std::vector<const char*> ops{"Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"};
  b.add(b.any_of(ops), {*x, b.chance(0.5) ? *y : b.scalar(b.dtype(*x), 1)}, {1, 0});
  return true;
}

bool logic(Builder& b) {
  auto x = pick_exact(b, any_bool);
  if (!x) return false;
  auto y = b.pick([&](ValueId v) { return b.dtype(v) == DType::boolean && b.shape(v) == b.shape(*x); });
  static const std::vector<const char*> ops{"And", "Or", "Xor", "Equal"};
  if (b.chance(0.3))
    b.add("Not", {*x}, {1, 0});
  else
    b.add(b.any_of(ops), {*x, *y}, {1, 0});
  return true;
}

// Any values under an exact condition.
bool where(Builder& b) {
  auto c = pick_exact(b, any_bool);
  if (!c) return false;
  auto x = b.pick([&](ValueId v) { return b.shape(v) == b.shape(*c) && b.dtype(v) != DType::boolean; });
  if (!x) return false;
  auto y = b.pick([&](ValueId v) { return b.shape(v) == b.shape(*c) && b.dtype(v) == b.dtype(*x); });
  Fact f = b.fact(*x);
  if (b.chance(0.5)) {
    b.add("Where", {*c, *x, *y}, {std::max(f.bound, b.fact(*y).bound), std::max(f.error, b.fact(*y).error)});
  } else {
    b.add("Where", {*c, b.scalar(b.dtype(*x), 1), *x}, {std::max(1.0, f.bound), f.error});
  }
  return true;
}

bool arg_extremum(Builder& b) {
  auto x = b.pick(
      [&](ValueId v) { return b.dtype(v) != DType::boolean && b.fact(v).error == 0 && !b.constant_axes(v).empty(); });
  if (!x) return false;
  b.add(
      b.chance(0.5) ? "ArgMax" : "ArgMin", {*x}, {300, 0},
      {{"axis", b.any_of(b.constant_axes(*x))}, {"keepdims", b.uniform(0, 1)}, {"select_last_index", b.uniform(0, 1)}});
  return true;
}

}  // namespace

void add_exact_steps(std::vector<Step>& steps) {
  steps.insert(steps.end(), {{"round_exact", 1, round_exact},
                             {"test_float", 0.3, test_float},
                             {"convert_exact", 1.5, convert_exact},
                             {"int_arithmetic", 1.5, int_arithmetic},
                             {"int_division", 0.7, int_division},
                             {"int_unary", 0.7, int_unary},
                             {"shift", 0.5, shift},
                             {"compare", 1, compare},
                             {"logic", 0.7, logic},
                             {"where", 1.5, where},
                             {"arg_extremum", 0.7, arg_extremum}});
}

}  // namespace cppgen::property
