#include "cppgen/graph/string_elements.h"
#include "cppgen/ops/common.h"
#include "cppgen/ops/families.h"

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
void add(std::vector<Op>& table, const char* name, std::initializer_list<int> versions) {
  add_versions(table, name, versions, {1, 1, 1}, infer_same<allowed>, lower_unary<op>);
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

// Integers take the detour through double.
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

void add_unary_ops(std::vector<Op>& t) {
  add<UnaryOp::abs, kNumbers>(t, "Abs", {1, 6, 13});
  add<UnaryOp::neg, kFloats | kSigned>(t, "Neg", {1, 6, 13});
  add<UnaryOp::sign, kNumbers>(t, "Sign", {9, 13});
  add<UnaryOp::bit_not, kInts>(t, "BitwiseNot", {18});
  add<UnaryOp::logical_not, kBool>(t, "Not", {1});
  add<UnaryOp::floor>(t, "Floor", {1, 6, 13});
  add<UnaryOp::ceil>(t, "Ceil", {1, 6, 13});
  add<UnaryOp::round>(t, "Round", {11, 22});
  add<UnaryOp::sqrt>(t, "Sqrt", {1, 6, 13});
  add<UnaryOp::exp>(t, "Exp", {1, 6, 13});
  add<UnaryOp::log>(t, "Log", {1, 6, 13});
  add<UnaryOp::sin>(t, "Sin", {7, 22});
  add<UnaryOp::cos>(t, "Cos", {7, 22});
  add<UnaryOp::tan>(t, "Tan", {7, 22});
  add<UnaryOp::asin>(t, "Asin", {7, 22});
  add<UnaryOp::acos>(t, "Acos", {7, 22});
  add<UnaryOp::atan>(t, "Atan", {7, 22});
  add<UnaryOp::sinh>(t, "Sinh", {9, 22});
  add<UnaryOp::cosh>(t, "Cosh", {9, 22});
  add<UnaryOp::asinh>(t, "Asinh", {9, 22});
  add<UnaryOp::acosh>(t, "Acosh", {9, 22});
  add<UnaryOp::atanh>(t, "Atanh", {9, 22});
  add<UnaryOp::tanh>(t, "Tanh", {1, 6, 13});
  add_versions(t, "Erf", {9, 13}, {1, 1, 1}, infer_same<kNumbers>, lower_erf);
  add<UnaryOp::sigmoid>(t, "Sigmoid", {1, 6, 13});
  add_versions(t, "Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, {1, 1, 1}, infer_identity, lower_identity);
  for (Op& op : t)
    if (op.name == "Identity") op.host = host_identity;
  add_versions(t, "Reciprocal", {1, 6, 13}, {1, 1, 1}, infer_same<kFloats>, lower_reciprocal);
  add_versions(t, "IsNaN", {9, 13, 20}, {1, 1, 1}, infer_is_nan, lower_unary<UnaryOp::is_nan>);
  add_versions(t, "IsInf", {10, 20}, {1, 1, 1}, infer_is_inf, lower_is_inf);
}

}  // namespace cppgen::ops
