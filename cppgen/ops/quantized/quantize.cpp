#include "cppgen/ops/quantized/quantize.h"

#include "cppgen/ops/convert.h"
#include "cppgen/ops/quantized/signed_operand.h"

namespace cppgen::ops {
namespace {

constexpr DTypes kPowers = bit(DType::f8e8m0);
constexpr DTypes kQuantized =
    bit(DType::i8) | bit(DType::u8) | bit(DType::i16) | bit(DType::u16) | (kNarrow & ~kPowers);
constexpr DTypes kScales = bit(DType::f32) | bit(DType::f16) | bit(DType::bf16) | kPowers;

// States how scale (input 1) and zero point (input 2) belong to x: all, one for each position of an axis, or one for
// each block of an axis.
struct Granularity {
  int axis = -1;      // -1: one value for all
  int64_t block = 0;  // 0: no blocks
};

Granularity granularity(InferContext& c) {
  const Shape& x = c.shape(0);
  const Shape& scale = c.shape(1);
  int64_t block = c.integer("block_size", 0);
  if (block < 0) c.fail(fmt::format("attribute 'block_size' is {}", block));
  // Quantizers may write a single scale as a vector together with a scalar zero point, and vice versa.
  if (is_single(scale) && block == 0 && (!c.has_input(2) || is_single(c.shape(2)))) return {};
  if (c.has_input(2) && c.shape(2).size() != scale.size()) c.fail("scale and zero point have different shapes");
  for (size_t d = 0; c.has_input(2) && d < scale.size(); ++d)
    require_equal(c, scale[d], c.shape(2)[d], "scale and zero point");
  Granularity g{normalized_axis(c, c.integer("axis", 1), int(x.size())), block};
  if (block == 0) {
    require_rank(c, 1, 1, 1);
    require_equal(c, scale[0], x[g.axis], "scales and the axis");
    return g;
  }
  require_rank(c, 1, int(x.size()), int(x.size()));
  for (int d = 0; d < int(x.size()); ++d) {
    require_equal(c, scale[d], d == g.axis ? ceildiv(x[d], block) : x[d], "dimensions of x and the scales");
  }
  return g;
}

Scalar load_granular(LowerContext& c, const Granularity& g, int input, At at) {
  auto loaded = [&] {
    if (g.axis < 0) return load_parameter(c, input, 0);
    if (g.block == 0) return load_input(c, input, {at[g.axis]});
    at[g.axis] = floordiv(at[g.axis], g.block);
    return load_input(c, input, at);
  };
  return number_of(loaded(), c.dtype(input));
}

bool is_one(InferContext& c, int input) {
  const Tensor* t = c.constant(input);
  return t && t->elements() == 1 && float_element(*t, 0) == 1;
}

// The type in an attribute; `otherwise` if there is none.
DType asked_type(InferContext& c, const char* attribute, DType otherwise) {
  const int64_t number = c.integer(attribute, 0);
  return number == 0 ? otherwise : dtype_of_onnx(c, number);
}

DType quantized_type(InferContext& c) {
  const DType type = asked_type(c, "output_dtype", c.has_input(2) ? c.dtype(2) : DType::u8);
  if (c.has_input(2) && type != c.dtype(2))
    c.fail_invalid(
        fmt::format("attribute 'output_dtype' is {}, but the zero point is {}", name_of(type), name_of(c.dtype(2))));
  return type;
}

// From version 23 on the quotient has the type of the scale, or the requested one. Division by powers of two is exact.
std::optional<ir::UnaryOp> rounding_of_quotient(InferContext& c) {
  const DType type = asked_type(c, "precision", c.opset() >= 23 ? c.dtype(1) : DType::f32);
  if (!(bit(type) & (kScales | bit(DType::f64) | bit(DType::i32))))
    c.fail_invalid(fmt::format("attribute 'precision' is {}; allowed are float32, float16, bfloat16", name_of(type)));
  return ir::rounding_to(type);
}

void infer_quantize(InferContext& c) {
  require_dtype(c, 0, kFloats | bit(DType::i32));
  require_dtype(c, 1, kFloats | kPowers | bit(DType::i32));
  granularity(c);
  rounding_of_quotient(c);
  DType type = quantized_type(c);
  if (!(bit(type) & kQuantized)) c.fail_invalid(fmt::format("quantizing to {} is not supported", name_of(type)));
  c.set_output(0, type, c.shape(0));
}

bool is_zero(InferContext& c, int input) {
  if (!c.has_input(input)) return true;
  const Tensor* t = c.constant(input);
  return t && t->elements() == 1 && float_element(*t, 0) == 0;
}

void lower_quantize(LowerContext& c) {
  Granularity g = granularity(c);
  DType type = c.output(0).dtype;
  const bool unit_scale = is_one(c, 1);  // x / 1 is x, whatever x is
  const bool no_zero = is_zero(c, 2), saturate = c.integer("saturate", 1) != 0;
  const auto rounding = rounding_of_quotient(c);
  const auto rounded = [&](Scalar x) { return rounding ? x.unary(*rounding) : x; };
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar x = rounded(load_input(c, 0, at).cast(DType::f32));
    if (!unit_scale) x = rounded(x / rounded(load_granular(c, g, 1, at).cast(DType::f32)));
    if (is_float(type)) {
      if (!no_zero) x = x + load_granular(c, g, 2, at);
      return converted(x, type, {saturate});
    }
    Scalar zero = no_zero ? number(c, DType::f32, 0) : load_granular(c, g, 2, at).cast(DType::f32);
    return quantized(x, zero, type);
  });
}

void infer_dequantize(InferContext& c) {
  require_dtype(c, 0, kQuantized | bit(DType::i32));
  require_dtype(c, 1, kFloats | kPowers);
  if (c.has_input(2)) require_same_dtype(c, 0, 2);
  granularity(c);
  const DType type = asked_type(c, "output_dtype", c.dtype(1));
  if (!(bit(type) & kFloats)) c.fail_invalid(fmt::format("dequantizing to {} is not supported", name_of(type)));
  c.set_output(0, type, c.shape(0));
}

void lower_dequantize(LowerContext& c) {
  Granularity g = granularity(c);
  const DType type = c.dtype(1) == DType::f64 ? DType::f64 : DType::f32, result = ir::value_type(c.output(0).dtype);
  const DType steps = is_float(c.dtype(0)) ? DType::f32 : DType::i32;
  const bool no_zero = steps == DType::f32 ? is_zero(c, 2) : uniform_integer(c, 2) == 0;
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar x = number_of(load_input(c, 0, at), c.dtype(0)).cast(steps);
    if (!no_zero) x = x - load_granular(c, g, 2, at).cast(steps);
    return (x.cast(type) * load_granular(c, g, 1, at)).cast(result);
  });
}

void infer_dynamic_quantize(InferContext& c) {
  require_dtype(c, 0, bit(DType::f32));
  c.set_output(0, DType::u8, c.shape(0));
  c.set_output(1, DType::f32, {});
  c.set_output(2, DType::u8, {});
}

void lower_dynamic_quantize(LowerContext& c) {
  ir::BufferId scale = c.has_output(1) ? c.output_buffer(1) : c.temporary(DType::f32, {});
  ir::BufferId zero = c.has_output(2) ? c.output_buffer(2) : c.temporary(DType::u8, {});
  emit_dynamic_quantization(c, 0, c.output_buffer(0), scale, zero);
}

}  // namespace

void emit_dynamic_quantization(LowerContext& c, int x, ir::BufferId y, ir::BufferId scale, ir::BufferId zero) {
  emit_dynamic_quantization(
      c, [&](const At& at) { return load_input(c, x, at); }, c.shape(x), y, scale, zero);
}

void emit_dynamic_quantization(LowerContext& c, const std::function<Scalar(const At&)>& x, const Shape& shape,
                               ir::BufferId y, ir::BufferId scale, ir::BufferId zero) {
  ir::LoopNest nest;
  nest.name = "range";
  nest.reduced = c.loops(shape, "r");
  const Scalar value = x(LowerContext::indices(nest.reduced));
  const auto extremum = [&](ir::ReduceOp op) {
    nest.reductions.push_back({op, value.type(), value});
    return scalar(c, c.exprs().accumulator(int(nest.reductions.size()) - 1, value.type()));
  };
  const Scalar least = min(extremum(ir::ReduceOp::min), 0.0), greatest = max(extremum(ir::ReduceOp::max), 0.0);
  const Scalar range = greatest - least, step = select(range == 0.0, range.number(1), range / 255.0);
  nest.stores.push_back({scale, {}, step});
  nest.stores.push_back({zero, {}, round(max(min((0.0 - least) / step, 255.0), 0.0)).cast(DType::u8)});
  c.emit(std::move(nest));
  c.emit_pointwise(y, [&](const At& at) {
    return quantized(x(at) / load(c, scale, {}), load(c, zero, {}).cast(DType::f32), DType::u8);
  });
}

bool is_single(const Shape& s) { return s.empty() || (s.size() == 1 && s[0].is_constant(1)); }

Scalar load_parameter(LowerContext& c, int input, IndexExpr position) {
  const Shape& shape = c.shape(input);
  const Tensor* known = is_float(c.dtype(input)) ? nullptr : c.constant(input);
  if (known && known->elements() == 1) return number(c, ir::value_type(known->dtype), double(integers_of(*known)[0]));
  if (shape.empty()) return load_input(c, input, {});
  return load_input(c, input, {shape[0].is_constant(1) ? IndexExpr() : position});
}

Scalar quantized(Scalar x, Scalar zero_point, DType type) {
  const bool zero = zero_point.expr->kind == ir::ExprKind::constant && zero_point.expr->float_value() == 0;
  const Scalar steps = zero ? round(x) : round(x) + zero_point;
  if (!is_small_int(type)) return steps.cast(type);  // casts saturate
  const auto [least, greatest] = range_of(type);
  return min(max(steps, double(least)), double(greatest)).cast(ir::value_type(type));
}

std::vector<Op> quantize_ops() {
  return {
      {.name = "QuantizeLinear",
       .versions = {{10, "axis:int"},
                    13,
                    {19, "saturate:int"},
                    {21, "block_size:int output_dtype:int"},
                    {23, "precision:int"},
                    24,
                    25},
       .inputs = {2, 3},
       .elements = Elements::narrow,
       .infer = infer_quantize,
       .lower = lower_quantize},
      {.name = "DequantizeLinear",
       .versions = {{10, "axis:int"}, 13, 19, {21, "block_size:int"}, {23, "output_dtype:int"}, 24, 25},
       .inputs = {2, 3},
       .elements = Elements::narrow,
       .infer = infer_dequantize,
       .lower = lower_dequantize},
      {.name = "QuantizeLinear",
       .domain = "com.microsoft",
       .versions = {{1, "axis:int"}},
       .inputs = {2, 3},
       .elements = Elements::narrow,
       .infer = infer_quantize,
       .lower = lower_quantize},
      {.name = "DequantizeLinear",
       .domain = "com.microsoft",
       .versions = {{1, "axis:int"}},
       .inputs = {2, 3},
       .elements = Elements::narrow,
       .infer = infer_dequantize,
       .lower = lower_dequantize},
      {.name = "DynamicQuantizeLinear",
       .versions = {11},
       .inputs = 1,
       .outputs = 3,
       .infer = infer_dynamic_quantize,
       .lower = lower_dynamic_quantize},
  };
}

}  // namespace cppgen::ops
