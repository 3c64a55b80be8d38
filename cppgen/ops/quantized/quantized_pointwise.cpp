// QLinear operators of com.microsoft: dequantize, compute in float32, quantize.
#include <cstring>

#include "cppgen/ops/activations.h"
#include "cppgen/ops/normalization/softmax.h"
#include "cppgen/ops/quantized/quantize.h"
#include "cppgen/ops/windows/pool.h"

namespace cppgen::ops {
namespace {

// Inputs of one quantized tensor; scale and zero point (which may be absent) are single values.
struct QuantizedInput {
  int x, scale, zero;
};

void require_single_parameters(InferContext& c, int scale, int zero, DType type) {
  require_dtype(c, scale, bit(DType::f32));
  if (!is_single(c.shape(scale))) c.fail(fmt::format("input {} (a scale) is not a single value", scale));
  if (!c.has_input(zero)) return;
  if (!is_single(c.shape(zero))) c.fail(fmt::format("input {} (a zero point) is not a single value", zero));
  if (c.dtype(zero) != type)
    c.fail_invalid(fmt::format("input {} (a zero point) is {}, but the tensor is {}", zero, name_of(c.dtype(zero)),
                               name_of(type)));
}

void require_quantized(InferContext& c, const QuantizedInput& q) {
  require_dtype(c, q.x, kBytes);
  require_single_parameters(c, q.scale, q.zero, c.dtype(q.x));
}

// The result has the type of its zero point, else that of input `x`.
DType result_type(InferContext& c, int scale, int zero, int x) {
  DType type = c.has_input(zero) ? c.dtype(zero) : c.dtype(x);
  if (!(bit(type) & kBytes))
    c.fail_invalid(fmt::format("the result would be {}; allowed are uint8, int8", name_of(type)));
  require_single_parameters(c, scale, zero, type);
  return type;
}

Scalar dequantized(LowerContext& c, const QuantizedInput& q, Scalar x) {
  Scalar centred = x.cast(DType::i32);
  if (c.has_input(q.zero)) centred = centred - load_parameter(c, q.zero, 0).cast(DType::i32);
  return centred.cast(DType::f32) * load_parameter(c, q.scale, 0);
}

Scalar result_zero_point(LowerContext& c, int zero) {
  return c.has_input(zero) ? load_parameter(c, zero, 0).cast(DType::f32) : number(c, DType::f32, 0);
}

Scalar requantized(LowerContext& c, Scalar y, int scale, int zero) {
  return quantized(y / load_parameter(c, scale, 0), result_zero_point(c, zero), c.output(0).dtype);
}

// --- QLinearAdd, QLinearMul: a, b and the result's scale and zero point

constexpr QuantizedInput kFirstOperand{0, 1, 2}, kSecondOperand{3, 4, 5};

void infer_quantized_binary(InferContext& c) {
  require_quantized(c, kFirstOperand);
  require_quantized(c, kSecondOperand);
  Shape to = broadcast(c, c.shape(kFirstOperand.x), c.shape(kSecondOperand.x));
  require_size(c, to, DType::f32);
  c.set_output(0, result_type(c, 6, 7, 0), to);
}

template <ir::BinaryOp op>
void lower_quantized_binary(LowerContext& c) {
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    Scalar a = dequantized(c, kFirstOperand, scalar(c, c.load_broadcast(kFirstOperand.x, at)));
    Scalar b = dequantized(c, kSecondOperand, scalar(c, c.load_broadcast(kSecondOperand.x, at)));
    return requantized(c, a.binary(op, b), 6, 7);
  });
}

// --- QLinearSigmoid, QLinearLeakyRelu: x and the result's scale and zero point

constexpr QuantizedInput kOnlyOperand{0, 1, 2};

void infer_quantized_unary(InferContext& c) {
  require_quantized(c, kOnlyOperand);
  c.number("alpha", 0);
  c.set_output(0, result_type(c, 3, 4, 0), c.shape(0));
}

void lower_quantized_unary(LowerContext& c) {
  const Activation& a = *find_activation(c.node().op.substr(std::strlen("QLinear")), Activation::pointwise);
  c.emit_pointwise(c.output_buffer(0), [&](const At& at) {
    return requantized(c, a(c, dequantized(c, kOnlyOperand, load_input(c, 0, at))), 3, 4);
  });
}

// --- QLinearSoftmax: over one axis, or over all from it on, depending on the attribute `opset`

AxisSplit quantized_softmax_axes(InferContext& c) {
  int axis = normalized_axis(c, c.integer("axis", -1), int(c.shape(0).size()));
  return c.integer("opset") >= 13 ? AxisSplit(c.shape(0), {axis}) : AxisSplit::from_axis(c.shape(0), axis);
}

void infer_quantized_softmax(InferContext& c) {
  quantized_softmax_axes(c);
  infer_quantized_unary(c);
}

// Multiplies the probabilities by the integer part of 1 / scale, as in ONNX Runtime, which defines the operator.
void lower_quantized_softmax(LowerContext& c) {
  ir::BufferId x = c.temporary(DType::f32, c.shape(0)), y = c.temporary(DType::f32, c.shape(0));
  c.emit_pointwise(
      x, [&](const At& at) { return dequantized(c, kOnlyOperand, load_input(c, 0, at)); }, "dequantize");
  emit_softmax(c, quantized_softmax_axes(c), x, y, DType::f32);
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        const Scalar steps = floor(number(c, DType::f32, 1) / load_parameter(c, 3, 0));
        return quantized(load(c, y, at) * steps, result_zero_point(c, 4), c.output(0).dtype);
      },
      "quantize");
}

// --- QLinearGlobalAveragePool

int first_spatial(InferContext& c) { return c.integer("channels_last", 0) != 0 ? 1 : 2; }

AxisSplit spatial_axes(InferContext& c) {
  require_rank(c, 0, 3, -1);
  std::vector<int> axes;
  for (int d = first_spatial(c), end = d + int(c.shape(0).size()) - 2; d < end; ++d) axes.push_back(d);
  return AxisSplit(c.shape(0), axes);
}

void infer_quantized_global_average(InferContext& c) {
  require_quantized(c, kOnlyOperand);
  c.set_output(0, result_type(c, 3, 4, 0), spatial_axes(c).keep_dims());
}

void lower_quantized_global_average(LowerContext& c) {
  AxisSplit axes = spatial_axes(c);
  ReductionSpec spec{"",
                     c.output_buffer(0),
                     axes.reduced(),
                     ir::ReduceOp::sum,
                     [&](const At& at, const At& inner) {
                       return dequantized(c, kOnlyOperand, load_input(c, 0, axes.merge(at, inner)));
                     },
                     [&](Scalar sum) { return requantized(c, sum / index_value(c, axes.count(), DType::f32), 3, 4); }};
  spec.loops = axes.kept();
  spec.store_at = [&](const At& at) { return axes.merge(at, At(axes.reduced().size())); };
  emit_reduction(c, spec);
}

// --- QLinearAveragePool: padding is 0, which is stored as the zero point

void infer_quantized_average_pool(InferContext& c) {
  if (c.integer("channels_last", 0) != 0) c.fail("channels_last = 1 is not supported");
  require_quantized(c, kOnlyOperand);
  c.set_output(0, result_type(c, 3, 4, 0), pooled_shape_of(c));
}

void lower_quantized_average_pool(LowerContext& c) {
  Scalar padding = c.has_input(kOnlyOperand.zero) ? load_parameter(c, kOnlyOperand.zero, 0) : number(c, c.dtype(0), 0);
  emit_average_pool(
      c, DType::f32,
      [&](const At& from) { return dequantized(c, kOnlyOperand, load_inside(c, c.input_buffer(0), from, padding)); },
      [&](Scalar average) { return requantized(c, average, 3, 4); });
}

// --- QLinearConcat: the result's scale and zero point, then tensor, scale and zero point of each part

QuantizedInput input_of_part(int k) { return {2 + 3 * k, 3 + 3 * k, 4 + 3 * k}; }
int part_count(InferContext& c) { return (c.input_count() - 2 + 2) / 3; }  // a last zero point may be left out
int axis_of_parts(InferContext& c) { return normalized_axis(c, c.integer("axis"), int(c.shape(2).size())); }

void infer_quantized_concat(InferContext& c) {
  Shape to = c.shape(2);
  const size_t axis = size_t(axis_of_parts(c));
  to[axis] = 0;
  for (int k = 0; k < part_count(c); ++k) {
    require_quantized(c, input_of_part(k));
    const Shape& x = c.shape(input_of_part(k).x);
    require_rank(c, input_of_part(k).x, int(to.size()), int(to.size()));
    for (size_t d = 0; d < to.size(); ++d)
      if (d != axis) require_equal(c, x[d], to[d], "dimensions of the parts");
    to[axis] = to[axis] + x[axis];
  }
  require_size(c, to, DType::f32);
  c.set_output(0, result_type(c, 0, 1, 2), to);
}

void lower_quantized_concat(LowerContext& c) {
  const size_t axis = size_t(axis_of_parts(c));
  IndexExpr offset;
  for (int k = 0; k < part_count(c); ++k) {
    const QuantizedInput q = input_of_part(k);
    ir::LoopNest nest;
    nest.loops = c.loops(c.shape(q.x));
    const At from = LowerContext::indices(nest.loops);
    At to = from;
    to[axis] = to[axis] + offset;
    offset = offset + c.shape(q.x)[axis];
    nest.stores.push_back({c.output_buffer(0), to, requantized(c, dequantized(c, q, load_input(c, q.x, from)), 0, 1)});
    c.emit(std::move(nest));
  }
}

}  // namespace

std::vector<Op> quantized_pointwise_ops() {
  return {
      {.name = "QLinearAdd",
       .domain = kMicrosoftDomain,
       .versions = {1},
       .inputs = {1, 8},
       .infer = infer_quantized_binary,
       .lower = lower_quantized_binary<ir::BinaryOp::add>},
      {.name = "QLinearMul",
       .domain = kMicrosoftDomain,
       .versions = {1},
       .inputs = {1, 8},
       .infer = infer_quantized_binary,
       .lower = lower_quantized_binary<ir::BinaryOp::mul>},
      {.name = "QLinearSigmoid",
       .domain = kMicrosoftDomain,
       .versions = {1},
       .inputs = {2, 5},
       .infer = infer_quantized_unary,
       .lower = lower_quantized_unary},
      {.name = "QLinearLeakyRelu",
       .domain = kMicrosoftDomain,
       .versions = {{1, "alpha:float"}},
       .inputs = {2, 5},
       .infer = infer_quantized_unary,
       .lower = lower_quantized_unary},
      {.name = "QLinearSoftmax",
       .domain = kMicrosoftDomain,
       .versions = {{1, "axis:int opset:int"}},
       .inputs = {2, 5},
       .infer = infer_quantized_softmax,
       .lower = lower_quantized_softmax},
      {.name = "QLinearGlobalAveragePool",
       .domain = kMicrosoftDomain,
       .versions = {{1, "channels_last:int"}},
       .inputs = {2, 5},
       .infer = infer_quantized_global_average,
       .lower = lower_quantized_global_average},
      {.name = "QLinearAveragePool",
       .domain = kMicrosoftDomain,
       .versions = {{1,
                     "auto_pad:string ceil_mode:int channels_last:int count_include_pad:int kernel_shape:ints "
                     "pads:ints strides:ints"}},
       .inputs = {2, 5},
       .infer = infer_quantized_average_pool,
       .lower = lower_quantized_average_pool},
      {.name = "QLinearConcat",
       .domain = kMicrosoftDomain,
       .versions = {{1, "axis:int"}},
       .inputs = {4, kAny},
       .infer = infer_quantized_concat,
       .lower = lower_quantized_concat},
  };
}

}  // namespace cppgen::ops
