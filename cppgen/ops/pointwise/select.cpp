#include <limits>

#include "cppgen/ops/common.h"

namespace cppgen::ops {
namespace {

void infer_where(InferContext& c) {
  require_dtype(c, 0, kBool);
  require_same_dtype(c, 1, 2);
  c.set_output(0, c.dtype(1), broadcast_inputs(c));
}

void lower_where(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar condition = scalar(c, c.load_broadcast(0, at));
    return select(condition, scalar(c, c.load_broadcast(1, at)), scalar(c, c.load_broadcast(2, at)));
  });
}

// Bounds are attributes up to version 10, then inputs of one element.
void infer_clip(InferContext& c) {
  require_dtype(c, 0, c.opset() < 12 ? kFloats : kNumbers);
  c.number("min", 0);
  c.number("max", 0);
  if (c.opset() < 11 && c.input_count() > 1) c.fail("min and max must be attributes up to version 10");
  for (int i = 1; i <= 2; ++i) {
    if (!c.has_input(i)) continue;
    require_same_dtype(c, 0, i);
    for (const IndexExpr& d : c.shape(i)) require_equal(c, d, 1, "the dimensions of a bound and 1");
  }
  c.set_output(0, c.dtype(0), c.shape(0));
}

constexpr float kFloatMax = std::numeric_limits<float>::max();

double greatest_finite(DType type) {
  switch (type) {
    case DType::f64:
      return std::numeric_limits<double>::max();
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.FEp127;
    default:
      return kFloatMax;
  }
}

// Constant bounds go into the code. One that is not given is the type's least or greatest finite number, so infinities
// are clipped, too; none is needed for integers.
std::optional<Scalar> clip_bound(LowerContext& c, int input, DType type) {
  const double sign = input == 1 ? -1 : 1;
  if (c.opset() < 11) return number(c, type, c.number(input == 1 ? "min" : "max", float(sign) * kFloatMax));
  if (!c.has_input(input)) {
    if (!is_float(type)) return std::nullopt;
    return number(c, type, sign * greatest_finite(c.dtype(0)));
  }
  const Tensor* t = c.constant(input);
  if (t && (is_float(t->dtype) || size_of(t->dtype) < 8)) return number(c, type, float_element(*t, 0));
  return load_input(c, input, std::vector<IndexExpr>(c.shape(input).size()));
}

void lower_clip(LowerContext& c) {
  DType type = ir::value_type(c.dtype(0));
  std::optional<Scalar> least = clip_bound(c, 1, type), greatest = clip_bound(c, 2, type);
  c.emit_pointwise(c.output_buffer(0), [&](const auto& at) {
    Scalar x = load_input(c, 0, at);
    if (least) x = max(x, *least);
    if (greatest) x = min(x, *greatest);
    return x;
  });
}

}  // namespace

std::vector<Op> select_ops() {
  return {
      {.name = "Where",
       .versions = {9, 16},
       .inputs = 3,
       .elements = Elements::any,
       .infer = infer_where,
       .lower = lower_where,
       .resolve = resolve_broadcast},
      {.name = "Clip",
       .versions =
           {{1, "consumed_inputs:ints max:float min:float"}, {6, "-consumed_inputs"}, {11, "-max -min"}, 12, 13},
       .inputs = {1, 3},
       .infer = infer_clip,
       .lower = lower_clip},
  };
}

}  // namespace cppgen::ops
