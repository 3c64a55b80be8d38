// Products of com.microsoft with what graph optimisers fuse into them: transposed operands, a factor, a sum, an
// activation.
#include <algorithm>
#include <numeric>

#include "cppgen/ops/activations.h"
#include "cppgen/ops/contractions/conv.h"
#include "cppgen/ops/contractions/matmul.h"

namespace cppgen::ops {
namespace {

// The parameters are two attributes (Gemm) or one list (Conv).
Scalar activated(LowerContext& c, Scalar x) {
  const Activation& a = activation_attribute(c, "", Activation::fused);
  double alpha = c.number("activation_alpha", a.parameters[0].fallback),
         beta = c.number("activation_beta", a.parameters[1].fallback);
  if (const Attribute* given = c.attribute("activation_params")) {
    const auto* list = std::get_if<std::vector<float>>(given);
    if (!list) c.fail("attribute 'activation_params' is not a list of floats");
    if (!list->empty()) alpha = (*list)[0];
    if (list->size() > 1) beta = (*list)[1];
  }
  return a.function(x, alpha, beta);
}

// --- FusedMatMul: alpha x op(A) x op(B)

// The order in which the dimensions of an operand are read. `batch`: its first dimension is moved after the batch
// dimensions; then `last_two`: the last two are exchanged.
std::vector<int> operand_order(size_t rank, bool last_two, bool batch) {
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank < 2) return order;
  if (batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (last_two) std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

Shape reordered(const Shape& shape, const std::vector<int>& order) {
  Shape out;
  for (int d : order) out.push_back(shape[size_t(d)]);
  return out;
}

MatMulShapes fused_shapes(InferContext& c) {
  auto a = operand_order(c.shape(0).size(), c.integer("transA", 0) != 0, c.integer("transBatchA", 0) != 0);
  auto b = operand_order(c.shape(1).size(), c.integer("transB", 0) != 0, c.integer("transBatchB", 0) != 0);
  MatMulShapes s = matmul_shapes(c, reordered(c.shape(0), a), reordered(c.shape(1), b));
  s.a_order = a, s.b_order = b;
  return s;
}

void infer_fused_matmul(InferContext& c) {
  require_dtype(c, 0, kFloats);
  require_same_dtype(c, 0, 1);
  c.number("alpha", 1);
  activation_attribute(c, "", Activation::fused);
  c.set_output(0, c.dtype(0), fused_shapes(c).result);
}

void lower_fused_matmul(LowerContext& c) {
  MatMulShapes s = fused_shapes(c);
  DType type = ir::value_type(c.dtype(0));
  double alpha = c.number("alpha", 1);
  bool plain = alpha == 1 && c.text("activation", "").empty();
  ir::BufferId product = plain ? c.output_buffer(0) : c.temporary(type, s.result);
  emit_matmul(c, s, c.input_buffer(0), c.input_buffer(1), product, type, "");
  if (plain) return;
  c.emit_pointwise(
      c.output_buffer(0), [&](const At& at) { return activated(c, load(c, product, at) * alpha); }, "scale");
}

// --- FusedGemm, FusedConv (whose input 3 is added before the activation)

void infer_fused_gemm(InferContext& c) {
  activation_attribute(c, "", Activation::fused);
  infer_gemm(c);
}

void lower_fused_gemm(LowerContext& c) {
  emit_gemm(c, [&](Scalar x) { return activated(c, x); });
}

void infer_fused_conv(InferContext& c) {
  activation_attribute(c, "", Activation::fused);
  infer_conv(c);
  if (!c.has_input(3)) return;
  require_same_dtype(c, 0, 3);
  ConvShape s = conv_shape(c, c.shape(0), c.shape(1));
  require_rank(c, 3, int(s.output.size()), int(s.output.size()));
  for (size_t d = 0; d < s.output.size(); ++d)
    require_equal(c, c.shape(3)[d], s.output[d], "dimensions of what is added and of the result");
}

void lower_fused_conv(LowerContext& c) {
  emit_biased_conv(c,
                   [&](Scalar x, const At& at) { return activated(c, c.has_input(3) ? x + load_input(c, 3, at) : x); });
}

}  // namespace

std::vector<Op> fused_product_ops() {
  return {
      {.name = "FusedMatMul",
       .domain = kMicrosoftDomain,
       .versions = {{1, "alpha:float transA:int transB:int transBatchA:int transBatchB:int"}},
       .inputs = 2,
       .infer = infer_fused_matmul,
       .lower = lower_fused_matmul},
      {.name = "TransposeMatMul",
       .domain = kMicrosoftDomain,
       .versions = {{1, "alpha:float transA:int transB:int"}},
       .inputs = 2,
       .infer = infer_fused_matmul,
       .lower = lower_fused_matmul},
      {.name = "FusedMatMulActivation",
       .domain = kMicrosoftDomain,
       .versions = {{1,
                     "activation:string activation_alpha:float activation_axis:int activation_beta:float alpha:float "
                     "transA:int transB:int transBatchA:int transBatchB:int"}},
       .inputs = 2,
       .infer = infer_fused_matmul,
       .lower = lower_fused_matmul},
      {.name = "FusedGemm",
       .domain = kMicrosoftDomain,
       .versions = {{1,
                     "activation:string activation_alpha:float activation_beta:float alpha:float beta:float transA:int "
                     "transB:int"}},
       .inputs = {2, 3},
       .infer = infer_fused_gemm,
       .lower = lower_fused_gemm},
      {.name = "FusedConv",
       .domain = kMicrosoftDomain,
       .versions = {{1,
                     "activation:string activation_params:floats auto_pad:string dilations:ints group:int "
                     "kernel_shape:ints pads:ints strides:ints"}},
       .inputs = {2, 4},
       .infer = infer_fused_conv,
       .lower = lower_fused_conv},
  };
}

}  // namespace cppgen::ops
