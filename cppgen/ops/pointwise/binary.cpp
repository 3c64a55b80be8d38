#include <algorithm>
#include <cmath>
#include <set>

#include "cppgen/ops/choice.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/sequences/strings.h"

namespace cppgen::ops {
namespace {

using ir::BinaryOp;

// Up to version 6 the second operand is a run of the first one's dimensions that starts at `axis` (default: aligned
// at the right); extents of 1 repeat.
bool is_legacy(const InferContext& c) { return c.opset() < 7; }

int legacy_axis(InferContext& c) {
  int rank = int(c.shape(0).size()), inner = int(c.shape(1).size());
  int axis = c.has("axis") ? normalized_axis(c, c.integer("axis"), std::max(rank, 1)) : rank - inner;
  if (axis < 0 || axis + inner > rank) c.fail("the second operand does not fit the first one at this axis");
  return axis;
}

void infer_common_shape(InferContext& c, DType result) {
  if (!is_legacy(c)) return c.set_output(0, result, broadcast_inputs(c));
  const Shape& a = c.shape(0);
  const Shape& b = c.shape(1);
  bool one = std::all_of(b.begin(), b.end(), [](IndexExpr d) { return d.is_constant(1); });
  int axis = one && b.size() > a.size() ? 0 : legacy_axis(c);
  for (size_t d = 0; d < b.size() && !one; ++d) {
    if (!b[d].is_constant(1)) require_equal(c, a[axis + d], b[d], "dimensions of the operands");
  }
  c.set_output(0, result, a);
}

// Operand 1 at an index of the result.
Scalar second(LowerContext& c, const std::vector<IndexExpr>& at) {
  if (!is_legacy(c)) return scalar(c, c.load_broadcast(1, at));
  const Shape& b = c.shape(1);
  std::vector<IndexExpr> inner(b.size());
  bool one = std::all_of(b.begin(), b.end(), [](IndexExpr d) { return d.is_constant(1); });
  int axis = one ? 0 : legacy_axis(c);
  for (size_t d = 0; d < b.size() && !one; ++d) inner[d] = b[d].is_constant(1) ? IndexExpr() : at[axis + d];
  return load_input(c, 1, inner);
}

template <DTypes allowed>
void infer_arithmetic(InferContext& c) {
  require_dtype(c, 0, allowed);
  require_same_dtype(c, 0, 1);
  infer_common_shape(c, c.dtype(0));
}

template <DTypes allowed>
void infer_comparison(InferContext& c) {
  if (allowed == kAll && infer_string_comparison(c)) return;
  require_dtype(c, 0, allowed);
  require_same_dtype(c, 0, 1);
  infer_common_shape(c, DType::boolean);
}

template <BinaryOp op>
void lower_binary(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar a = scalar(c, c.load_broadcast(0, at));
    return a.binary(op, second(c, at));
  });
}

void infer_mod(InferContext& c) {
  if (c.integer("fmod", 0) == 0 && is_float(c.dtype(0)) && c.opset() < 28)
    c.fail("floats require the attribute fmod = 1, or opset 28");
  infer_arithmetic<kNumbers>(c);
}

void lower_mod(LowerContext& c) {
  c.integer("fmod", 0) != 0 ? lower_binary<BinaryOp::mod_trunc>(c) : lower_binary<BinaryOp::mod_floor>(c);
}

bool shifts_left(InferContext& c) { return choice<bool>(c, "direction", "", {{"LEFT", true}, {"RIGHT", false}}); }

void infer_shift(InferContext& c) {
  shifts_left(c);
  c.opset() < 28 ? infer_arithmetic<kUnsigned>(c) : infer_arithmetic<kInts>(c);
}

void lower_shift(LowerContext& c) { shifts_left(c) ? lower_binary<BinaryOp::shl>(c) : lower_binary<BinaryOp::shr>(c); }

void infer_pow(InferContext& c) {
  require_dtype(c, 0, kNumbers);
  require_dtype(c, 1, kNumbers);
  if (c.opset() < 12) require_same_dtype(c, 0, 1);
  infer_common_shape(c, c.dtype(0));
}

// Computes in the base's type, except integers to a float power.
Scalar raise(Scalar base, Scalar exponent) {
  if (is_float(base.type()) || !is_float(exponent.type())) return pow(base, exponent.cast(base.type()));
  return pow(base.cast(DType::f64), exponent.cast(DType::f64)).cast(base.type());
}

// Powers that may take products and roots; such exponents are exact in every type.
bool is_in_quarters(double exponent) {
  return exponent != 0 && std::abs(exponent) <= 3 && 4 * exponent == std::round(4 * exponent);
}

void lower_pow(LowerContext& c) {
  const Tensor* exponent = c.constant(1);
  double fixed = exponent && exponent->elements() == 1 ? float_element(*exponent, 0) : 0;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar x = scalar(c, c.load_broadcast(0, at));
    if (fixed == 1) return x;
    if (fixed == 2) return x * x;
    if (fixed == 3) return x * x * x;
    if (is_in_quarters(fixed) && is_float(x.type())) return pow(x, fixed);
    return raise(x, second(c, at));
  });
}

template <DTypes allowed>
void infer_variadic(InferContext& c) {
  require_dtype(c, 0, allowed);
  for (int i = 1; i < c.input_count(); ++i) require_same_dtype(c, 0, i);
  Shape out = broadcast_inputs(c);
  for (int i = 0; i < c.input_count() && c.opset() < 8; ++i) {
    if (c.shape(i).size() != out.size()) c.fail("the inputs must have the same shape");
    for (size_t d = 0; d < out.size(); ++d) require_equal(c, c.shape(i)[d], out[d], "dimensions of the inputs");
  }
  c.set_output(0, c.dtype(0), out);
}

// The inputs that change the result: the greatest or least of several values does not depend on repetitions.
std::vector<int> folded_inputs(LowerContext& c, BinaryOp op) {
  std::vector<int> inputs;
  std::set<const Value*> seen;
  for (int i = 0; i < c.input_count(); ++i)
    if (seen.insert(&c.input_value(i)).second || (op != BinaryOp::max && op != BinaryOp::min)) inputs.push_back(i);
  return inputs;
}

// The inputs in their order; very many go through temporaries, so that no nest reads them all.
void emit_folded(LowerContext& c, BinaryOp op, Scalar (*finish)(Scalar, int count)) {
  constexpr int kMostAtOnce = 32;
  const std::vector<int> inputs = folded_inputs(c, op);
  const int count = int(inputs.size());
  const DType type = ir::value_type(c.dtype(0));
  ir::BufferId before = -1;
  for (int first = 0; first < count; first += kMostAtOnce) {
    const int end = std::min(first + kMostAtOnce, count);
    const bool last = end == count;
    const ir::BufferId to = last ? c.output_buffer(0) : c.temporary(type, c.output(0).shape);
    c.emit_pointwise(to, [&](const auto& at) {
      Scalar result = before < 0 ? scalar(c, c.load_broadcast(inputs[0], at)) : load(c, before, at);
      for (int i = std::max(first, before < 0 ? 1 : 0); i < end; ++i)
        result = result.binary(op, scalar(c, c.load_broadcast(inputs[size_t(i)], at)));
      return last ? finish(result, count) : result;
    });
    before = to;
  }
}

template <BinaryOp op>
void lower_variadic(LowerContext& c) {
  emit_folded(c, op, [](Scalar result, int) { return result; });
}

void lower_mean_of_inputs(LowerContext& c) {
  emit_folded(c, BinaryOp::add, [](Scalar sum, int count) { return sum / double(count); });
}

template <BinaryOp op, DTypes allowed>
Op arithmetic(const char* name, std::vector<Version> versions) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = 2,
          .infer = infer_arithmetic<allowed>,
          .lower = lower_binary<op>,
          .resolve = resolve_broadcast};
}

template <BinaryOp op, DTypes allowed>
Op comparison(const char* name, std::vector<Version> versions, HostFunction host = nullptr) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = 2,
          .infer = infer_comparison<allowed>,
          .lower = lower_binary<op>,
          .resolve = resolve_broadcast,
          .host = host};
}

}  // namespace

std::vector<Op> binary_ops() {
  return {
      arithmetic<BinaryOp::add, kNumbers>("Add", {{1, "axis:int broadcast:int consumed_inputs:ints"},
                                                  {6, "-consumed_inputs"},
                                                  {7, "-axis -broadcast"},
                                                  13,
                                                  14}),
      arithmetic<BinaryOp::sub, kNumbers>("Sub", {{1, "axis:int broadcast:int consumed_inputs:ints"},
                                                  {6, "-consumed_inputs"},
                                                  {7, "-axis -broadcast"},
                                                  13,
                                                  14}),
      arithmetic<BinaryOp::mul, kNumbers>("Mul", {{1, "axis:int broadcast:int consumed_inputs:ints"},
                                                  {6, "-consumed_inputs"},
                                                  {7, "-axis -broadcast"},
                                                  13,
                                                  14}),
      arithmetic<BinaryOp::div, kNumbers>("Div", {{1, "axis:int broadcast:int consumed_inputs:ints"},
                                                  {6, "-consumed_inputs"},
                                                  {7, "-axis -broadcast"},
                                                  13,
                                                  14}),
      arithmetic<BinaryOp::bit_and, kBool>("And", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}}),
      arithmetic<BinaryOp::bit_or, kBool>("Or", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}}),
      arithmetic<BinaryOp::bit_xor, kBool>("Xor", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}}),
      arithmetic<BinaryOp::bit_and, kInts>("BitwiseAnd", {18}),
      arithmetic<BinaryOp::bit_or, kInts>("BitwiseOr", {18}),
      arithmetic<BinaryOp::bit_xor, kInts>("BitwiseXor", {18}),
      comparison<BinaryOp::eq, kAll>("Equal", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}, 11, 13, 19},
                                     host_equal_strings),
      comparison<BinaryOp::lt, kNumbers>("Less", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}, 9, 13}),
      comparison<BinaryOp::gt, kNumbers>("Greater", {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}, 9, 13}),
      comparison<BinaryOp::le, kNumbers>("LessOrEqual", {12, 16}),
      comparison<BinaryOp::ge, kNumbers>("GreaterOrEqual", {12, 16}),
      {.name = "Mod",
       .versions = {{10, "fmod:int"}, 13, 28},
       .inputs = 2,
       .infer = infer_mod,
       .lower = lower_mod,
       .resolve = resolve_broadcast},
      {.name = "Pow",
       .versions = {{1, "axis:int broadcast:int"}, {7, "-axis -broadcast"}, 12, 13, 15},
       .inputs = 2,
       .infer = infer_pow,
       .lower = lower_pow,
       .resolve = resolve_broadcast},
      {.name = "BitShift",
       .versions = {{11, "direction:string"}, 28},
       .inputs = 2,
       .infer = infer_shift,
       .lower = lower_shift,
       .resolve = resolve_broadcast},
      {.name = "Sum",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 8, 13},
       .inputs = {1, kAny},
       .infer = infer_variadic<kFloats>,
       .lower = lower_variadic<BinaryOp::add>,
       .resolve = resolve_broadcast},
      {.name = "Max",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 8, 12, 13},
       .inputs = {1, kAny},
       .infer = infer_variadic<kNumbers>,
       .lower = lower_variadic<BinaryOp::max>,
       .resolve = resolve_broadcast},
      {.name = "Min",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 8, 12, 13},
       .inputs = {1, kAny},
       .infer = infer_variadic<kNumbers>,
       .lower = lower_variadic<BinaryOp::min>,
       .resolve = resolve_broadcast},
      {.name = "Mean",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 8, 13},
       .inputs = {1, kAny},
       .infer = infer_variadic<kFloats>,
       .lower = lower_mean_of_inputs,
       .resolve = resolve_broadcast},
  };
}

}  // namespace cppgen::ops
