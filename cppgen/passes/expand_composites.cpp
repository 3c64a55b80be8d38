#include "cppgen/passes/expand_composites.h"

#include "cppgen/passes/expand_transform.h"
#include "cppgen/passes/expansion.h"

namespace cppgen::passes {
namespace {

// --- QLinearWhere: condition, then both operands with scale and zero point, scale and zero point of the result

void expand_where(Expansion& e) {
  const ValueId x = e.add("DequantizeLinear", {e.input(1), e.input(2), e.input(3)}),
                y = e.add("DequantizeLinear", {e.input(4), e.input(5), e.input(6)});
  const ValueId chosen = e.add("Where", {e.input(0), x, y});
  e.become("QuantizeLinear", {chosen, e.input(7), e.input(8)}, {});
}

struct Composite {
  const char *op, *domain;
  void (*expand)(Expansion&);
};
constexpr Composite kComposites[] = {
    {"Affine", "", expand_affine},
    {"BiasAdd", kMicrosoft, expand_bias_add},
    {"BiasSplitGelu", kMicrosoft, expand_bias_split_gelu},
    {"CDist", kMicrosoft, expand_distances},
    {"ConvTransposeWithDynamicPads", kMicrosoft, expand_dynamic_pads},
    {"Crop", "", expand_crop},
    {"DFT", "", expand_transform},
    {"DecoderMaskedMultiHeadAttention", kMicrosoft, expand_decoder_attention},
    {"DecoderMaskedSelfAttention", kMicrosoft, expand_decoder_self_attention},
    {"DequantizeLinear", kMicrosoft, expand_same},
    {"DynamicSlice", "", expand_dynamic_slice},
    {"ExpandDims", kMicrosoft, expand_dims},
    {"GatherBlockQuantized", kMicrosoft, expand_gather},
    {"GatherND", kMicrosoft, expand_same},
    {"GroupNorm", kMicrosoft, expand_group_norm},
    {"ImageScaler", "", expand_image_scaler},
    {"MatMulBnb4", kMicrosoft, expand_table_weights},
    {"MatMulNBits", kMicrosoft, expand_ordered_weights},
    {"MatMulInteger16", kMicrosoft, expand_word_product},
    {"MoE", kMicrosoft, expand_experts},
    {"MultiHeadAttention", kMicrosoft, expand_packed_attention},
    {"NGramRepeatBlock", kMicrosoft, expand_repeat_block},
    {"NhwcConv", kMicrosoft, expand_last_conv},
    {"NhwcFusedConv", kMicrosoft, expand_last_fused_conv},
    {"NhwcMaxPool", kMicrosoft, expand_last_max_pool},
    {"Pad", kMicrosoft, expand_pad},
    {"ParametricSoftplus", "", expand_parametric_softplus},
    {"QAttention", kMicrosoft, expand_quantized_attention},
    {"QEmbedLayerNormalization", kMicrosoft, expand_quantized_embedding},
    {"QLinearAveragePool", kMicrosoft, expand_last_average_pool},
    {"QLinearConv", kMicrosoft, expand_last_quantized_conv},
    {"QLinearWhere", kMicrosoft, expand_where},
    {"QMoE", kMicrosoft, expand_quantized_experts},
    {"QuantizeLinear", kMicrosoft, expand_same},
    {"Range", kMicrosoft, expand_range},
    {"Scale", "", expand_scale},
    {"ScaledTanh", "", expand_scaled_tanh},
    {"SkipGroupNorm", kMicrosoft, expand_skip_group_norm},
    {"Unique", kMicrosoft, expand_unique},
    {"WordConvEmbedding", kMicrosoft, expand_word_embedding},
};

}  // namespace

void expand_composites(Graph& graph) {
  for (size_t i = 0; i < graph.nodes.size(); i++)
    for (const Composite& composite : kComposites) {
      if (graph.nodes[i].domain != composite.domain || graph.nodes[i].op != composite.op) continue;
      Expansion expansion(graph, NodeId(i));
      composite.expand(expansion);
    }
}

}  // namespace cppgen::passes
