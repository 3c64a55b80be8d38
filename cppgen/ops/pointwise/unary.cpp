#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

using ir::UnaryOp;

template <DTypes allowed>
void infer_same(InferContext& c) {
  require_dtype(c, 0, allowed);
  c.set_output(0, c.dtype(0), c.shape(0));
}

void infer_predicate(InferContext& c) { c.set_output(0, DType::boolean, c.shape(0)); }

template <UnaryOp op>
void lower_unary(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_input(c, 0, at).unary(op); });
}

template <UnaryOp op, DTypes allowed = kFloats>
Op unary(const char* name, std::vector<Version> versions) {
  return {.name = name,
          .versions = std::move(versions),
          .inputs = 1,
          .infer = infer_same<allowed>,
          .lower = lower_unary<op>};
}

void infer_identity(InferContext& c) {
  if (c.host(0)) return c.set_host_output(0, *c.host(0));
  infer_same<kAll | kNarrow | bit(kString)>(c);
}

rt::HostStep host_identity(InferContext&) { return host_call("identity"); }

void lower_identity(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return load_input(c, 0, at); });
}

void lower_reciprocal(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) { return 1.0 / load_input(c, 0, at); });
}

// Integers are computed as double.
void lower_erf(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar x = load_input(c, 0, at);
    return is_float(x.type()) ? erf(x) : erf(x.cast(DType::f64)).cast(x.type());
  });
}

void infer_is_inf(InferContext& c) {
  require_dtype(c, 0, kFloats | kFloat8);
  c.integer("detect_positive", 1);
  c.integer("detect_negative", 1);
  infer_predicate(c);
}

void lower_is_inf(LowerContext& c) {
  bool positive = c.integer("detect_positive", 1) != 0, negative = c.integer("detect_negative", 1) != 0;
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar x = load_input(c, 0, at);
    if (positive && negative) return is_inf(x);
    if (positive) return is_inf(x) && x > 0.0;
    if (negative) return is_inf(x) && x < 0.0;
    return number(c, DType::boolean, 0);
  });
}

void infer_is_nan(InferContext& c) {
  require_dtype(c, 0, kFloats | kFloat8);
  infer_predicate(c);
}

}  // namespace

std::vector<Op> unary_ops() {
  return {
      unary<UnaryOp::abs, kNumbers>("Abs", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::neg, kFloats | kSigned>("Neg", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::sign, kNumbers>("Sign", {9, 13}),
      unary<UnaryOp::bit_not, kInts>("BitwiseNot", {18}),
      unary<UnaryOp::logical_not, kBool>("Not", {1}),
      unary<UnaryOp::floor>("Floor", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::ceil>("Ceil", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::round>("Round", {11, 22}),
      unary<UnaryOp::sqrt>("Sqrt", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::exp>("Exp", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::log>("Log", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      unary<UnaryOp::sin>("Sin", {7, 22}),
      unary<UnaryOp::cos>("Cos", {7, 22}),
      unary<UnaryOp::tan>("Tan", {7, 22}),
      unary<UnaryOp::asin>("Asin", {7, 22}),
      unary<UnaryOp::acos>("Acos", {7, 22}),
      unary<UnaryOp::atan>("Atan", {7, 22}),
      unary<UnaryOp::sinh>("Sinh", {9, 22}),
      unary<UnaryOp::cosh>("Cosh", {9, 22}),
      unary<UnaryOp::asinh>("Asinh", {9, 22}),
      unary<UnaryOp::acosh>("Acosh", {9, 22}),
      unary<UnaryOp::atanh>("Atanh", {9, 22}),
      unary<UnaryOp::tanh>("Tanh", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      {.name = "Erf", .versions = {9, 13}, .inputs = 1, .infer = infer_same<kNumbers>, .lower = lower_erf},
      unary<UnaryOp::sigmoid>("Sigmoid", {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13}),
      {.name = "Identity",
       .versions = {1, 13, 14, 16, 19, 21, 23, 24, 25},
       .inputs = 1,
       .elements = Elements::any,
       .infer = infer_identity,
       .lower = lower_identity,
       .host = host_identity},
      {.name = "Reciprocal",
       .versions = {{1, "consumed_inputs:ints"}, {6, "-consumed_inputs"}, 13},
       .inputs = 1,
       .infer = infer_same<kFloats>,
       .lower = lower_reciprocal},
      {.name = "IsNaN",
       .versions = {9, 13, 20},
       .inputs = 1,
       .elements = Elements::narrow,
       .infer = infer_is_nan,
       .lower = lower_unary<UnaryOp::is_nan>},
      {.name = "IsInf",
       .versions = {{10, "detect_negative:int detect_positive:int"}, 20},
       .inputs = 1,
       .elements = Elements::narrow,
       .infer = infer_is_inf,
       .lower = lower_is_inf},
  };
}

}  // namespace cppgen::ops
