#include "cppgen/ops/contractions/conv.h"
#include "cppgen/ops/quantized/quantize.h"
#include "cppgen/ops/quantized/signed_operand.h"

namespace cppgen::ops {
namespace {

// Padding represents exact zeros. If it reads the zero point of x instead, every window is complete and
//   sum (x - zx)(w - zw) = sum x w - zw sum x - zx (sum w - k zw),
// so that the product runs over bytes; sum w - k zw is one number for each output channel.

void check_conv(InferContext& c, int x, int x_zero, int w, int w_zero) {
  require_dtype(c, x, kBytes);
  require_dtype(c, w, kBytes);
  require_rank(c, w, 3, -1);
  if (c.has_input(x_zero)) require_same_dtype(c, x, x_zero);
  if (c.has_input(w_zero)) require_same_dtype(c, w, w_zero);
  if (c.has_input(x_zero) && !is_single(c.shape(x_zero))) c.fail("the zero point of the input must be a scalar");
  if (c.has_input(w_zero) && !is_single(c.shape(w_zero))) {
    require_rank(c, w_zero, 1, 1);
    require_equal(c, c.shape(w_zero)[0], c.shape(w)[0], "zero points of the weights and output channels");
  }
}

struct ConvOperands {
  int x, x_zero, w, w_zero;  // inputs
};

// The exact integer convolution, as a value at an index of the result.
class IntegerConv {
 public:
  IntegerConv(LowerContext& c, const ConvOperands& in)
      : c_(c), in_(in), s_(conv_shape(c, c.shape(in.x), c.shape(in.w))), weights_(signed_operand(c, in.w, in.w_zero)) {
    product_ = c.temporary(DType::i32, s_.output);
    emit_conv(c, s_, {c.input_buffer(in.x), weights_.buffer, product_, DType::i32, padding()}, "product");
    if (weights_.zero != 0) window_sums_ = emit_window_sums();
    if (uniform_integer(c, in.x_zero) == 0) return;
    folded_ = uniform_integer(c, in.x_zero) && weights_.zero && weights_.constant;
    channels_ = folded_ ? constant_terms() : emit_weight_sums();
  }

  const Shape& shape() const { return s_.output; }

  Scalar value(const At& at) const {
    Scalar sum = load(c_, product_, at);
    if (weights_.zero != 0) {
      At window = at;
      window[1] = floordiv(at[1], s_.out_channels);
      sum = sum - weight_zero(at[1]) * load(c_, window_sums_, window);
    }
    if (channels_ < 0) return sum;
    Scalar term = load(c_, channels_, {at[1]});
    if (folded_) return sum - term;
    if (weights_.zero != 0) term = term - index_value(c_, window_points(), DType::i32) * weight_zero(at[1]);
    return sum - load_parameter(c_, in_.x_zero, 0).cast(DType::i32) * term;
  }

 private:
  LowerContext& c_;
  ConvOperands in_;
  ConvShape s_;
  SignedOperand weights_;
  ir::BufferId product_ = -1, window_sums_ = -1, channels_ = -1;
  bool folded_ = false;  // channels_ holds the whole terms

  // The value that padding reads.
  Scalar padding() const {
    if (auto zero = uniform_integer(c_, in_.x_zero)) return number(c_, c_.dtype(in_.x), double(*zero));
    return load_parameter(c_, in_.x_zero, 0);
  }

  IndexExpr window_points() const { return ir::product(kernel_extents(s_.window)) * s_.in_channels; }

  Scalar weight_zero(IndexExpr channel) const {
    if (weights_.zero) return number(c_, DType::i32, double(*weights_.zero));
    return load_parameter(c_, in_.w_zero, channel).cast(DType::i32) - double(weights_.offset);
  }

  // sum x of each window and group: [N, groups, output positions..].
  ir::BufferId emit_window_sums() const {
    Shape shape = s_.output, reduced = kernel_extents(s_.window);
    shape[1] = s_.groups;
    reduced.push_back(s_.in_channels);
    ir::BufferId out = c_.temporary(DType::i32, shape);
    emit_reduction(c_, {"window_sums", out, reduced, ir::ReduceOp::sum,
                        [&](const At& at, const At& k) {
                          At from = {at[0], at[1] * s_.in_channels + k.back()};
                          for (size_t d = 0; d < s_.window.size(); ++d)
                            from.push_back(s_.window[d].position(at[d + 2], k[d]));
                          return load_inside(c_, c_.input_buffer(in_.x), from, padding()).cast(DType::i32);
                        },
                        nullptr});
    return out;
  }

  // sum w of each output channel.
  ir::BufferId emit_weight_sums() const {
    const Shape& w = c_.shape(in_.w);
    ir::BufferId out = c_.temporary(DType::i32, {w[0]});
    emit_reduction(c_, {"weight_sums", out, Shape(w.begin() + 1, w.end()), ir::ReduceOp::sum,
                        [&](At at, const At& k) {
                          at.insert(at.end(), k.begin(), k.end());
                          return load(c_, weights_.buffer, at).cast(DType::i32);
                        },
                        nullptr});
    return out;
  }

  // zx (sum w - k zw) of each output channel.
  ir::BufferId constant_terms() const {
    std::vector<int64_t> values = integers_of(*weights_.constant);
    int64_t channels = weights_.constant->dims[0], row = channels ? int64_t(values.size()) / channels : 0;
    int64_t zero = *uniform_integer(c_, in_.x_zero);
    std::vector<int64_t> terms(size_t(channels), 0);
    for (int64_t i = 0; i < channels * row; ++i) terms[size_t(i / row)] += zero * (values[size_t(i)] - *weights_.zero);
    return c_.constant_buffer(int32_tensor({channels}, terms));
  }
};

void infer_conv_integer(InferContext& c) {
  check_conv(c, 0, 2, 1, 3);
  c.set_output(0, DType::i32, conv_shape(c, c.shape(0), c.shape(1)).output);
}

void lower_conv_integer(LowerContext& c) {
  IntegerConv conv(c, {0, 2, 1, 3});
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return conv.value(at); }, "zero_points");
}

// QLinearConv: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias
void infer_qlinear_conv(InferContext& c) {
  check_conv(c, 0, 2, 3, 5);
  require_dtype(c, 7, kBytes);
  for (int i : {1, 6, 7}) {
    if (!is_single(c.shape(i))) c.fail(fmt::format("input {} must be a scalar", i));
  }
  ConvShape s = conv_shape(c, c.shape(0), c.shape(3));
  if (!is_single(c.shape(4))) {
    require_rank(c, 4, 1, 1);
    require_equal(c, c.shape(4)[0], s.output[1], "scales of the weights and output channels");
  }
  if (c.has_input(8)) {
    require_dtype(c, 8, bit(DType::i32));
    require_rank(c, 8, 1, 1);
    require_equal(c, c.shape(8)[0], s.output[1], "biases and output channels");
  }
  c.set_output(0, c.dtype(7), s.output);
}

void lower_qlinear_conv(LowerContext& c) {
  IntegerConv conv(c, {0, 2, 3, 5});
  c.emit_pointwise(
      c.output_buffer(0),
      [&](const At& at) {
        Scalar value = conv.value(at);
        if (c.has_input(8)) value = value + load_input(c, 8, {at[1]});
        Scalar scale = load_parameter(c, 1, 0).cast(DType::f32) * load_parameter(c, 4, at[1]).cast(DType::f32) /
                       load_parameter(c, 6, 0).cast(DType::f32);
        return quantized(value.cast(DType::f32) * scale, load_parameter(c, 7, 0).cast(DType::f32), c.dtype(7));
      },
      "requantize");
}

}  // namespace

std::vector<Op> quantized_conv_ops() {
  return {
      {.name = "ConvInteger",
       .versions = {{10, "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints strides:ints"}},
       .inputs = {2, 4},
       .infer = infer_conv_integer,
       .lower = lower_conv_integer},
      {.name = "QLinearConv",
       .versions = {{10, "auto_pad:string dilations:ints group:int kernel_shape:ints pads:ints strides:ints"}},
       .inputs = {8, 9},
       .infer = infer_qlinear_conv,
       .lower = lower_qlinear_conv},
  };
}

}  // namespace cppgen::ops
