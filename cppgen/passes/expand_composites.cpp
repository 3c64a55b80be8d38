#include "cppgen/passes/expand_transform.h"
#include "cppgen/passes/expansion.h"
#include "cppgen/passes/passes.h"

namespace cppgen::passes {
namespace {

// --- QLinearWhere: condition, then both operands with scale and zero point, scale and zero point of the result

void expand_where(Expansion& e) {
  const ValueId x = e.add("DequantizeLinear", {e.input(1), e.input(2), e.input(3)}),
                y = e.add("DequantizeLinear", {e.input(4), e.input(5), e.input(6)});
  const ValueId chosen = e.add("Where", {e.input(0), x, y});
  e.become("QuantizeLinear", {chosen, e.input(7), e.input(8)}, {});
}

const std::string kOfGroupNorm = "activation:int channels_last:int epsilon:float groups:int";
const std::string kOfExperts =
    "activation_alpha:float activation_beta:float activation_type:string k:int normalize_routing_weights:int "
    "swiglu_fusion:int swiglu_limit:float use_sparse_mixer:int";

const std::vector<ExpansionRow<Expansion&>>& composites() {
  static const std::vector<ExpansionRow<Expansion&>> rows = {
      {.name = "Affine", .versions = {{1, "alpha:float beta:float"}}, .expand = expand_affine},
      {.name = "BiasAdd", .domain = kMicrosoft, .versions = {1}, .expand = expand_bias_add},
      {.name = "BiasSplitGelu", .domain = kMicrosoft, .versions = {1}, .expand = expand_bias_split_gelu},
      {.name = "CDist", .domain = kMicrosoft, .versions = {{1, "metric:string"}}, .expand = expand_distances},
      {.name = "ConvTransposeWithDynamicPads",
       .domain = kMicrosoft,
       .versions = attributes_like("", "ConvTranspose", 1, "-output_shape -pads"),
       .expand = expand_dynamic_pads},
      {.name = "Crop", .versions = {{1, "border:ints scale:ints"}}, .expand = expand_crop},
      {.name = "DFT", .versions = {}, .expand = expand_transform},
      {.name = "DecoderMaskedMultiHeadAttention",
       .domain = kMicrosoft,
       .versions = attributes_like(kMicrosoft, "MultiHeadAttention", 1,
                                   "output_qk:int past_present_share_buffer:int -unidirectional"),
       .expand = expand_decoder_attention},
      {.name = "DecoderMaskedSelfAttention",
       .domain = kMicrosoft,
       .versions = attributes_like(kMicrosoft, "Attention", 1),
       .expand = expand_decoder_self_attention},
      {.name = "DequantizeLinear", .domain = kMicrosoft, .versions = {}, .expand = expand_same},
      {.name = "DynamicSlice", .versions = {{1, "axes:ints"}}, .expand = expand_dynamic_slice},
      {.name = "ExpandDims", .domain = kMicrosoft, .versions = {1}, .expand = expand_dims},
      {.name = "GatherBlockQuantized",
       .domain = kMicrosoft,
       .versions = {{1, "bits:int block_size:int gather_axis:int quantize_axis:int"}},
       .expand = expand_gather},
      {.name = "GatherND", .domain = kMicrosoft, .versions = {1}, .expand = expand_same},
      {.name = "GroupNorm", .domain = kMicrosoft, .versions = {{1, kOfGroupNorm}}, .expand = expand_group_norm},
      {.name = "ImageScaler", .versions = {{1, "bias:floats scale:float"}}, .expand = expand_image_scaler},
      {.name = "MatMulBnb4",
       .domain = kMicrosoft,
       .versions = {{1, "K:int N:int block_size:int quant_type:int training_mode:int transB:int"}},
       .expand = expand_table_weights},
      {.name = "MatMulNBits", .domain = kMicrosoft, .versions = {}, .expand = expand_ordered_weights},
      {.name = "MatMulInteger16", .domain = kMicrosoft, .versions = {1}, .expand = expand_word_product},
      {.name = "MoE", .domain = kMicrosoft, .versions = {{1, kOfExperts}}, .expand = expand_experts},
      {.name = "MultiHeadAttention", .domain = kMicrosoft, .versions = {}, .expand = expand_packed_attention},
      {.name = "NGramRepeatBlock",
       .domain = kMicrosoft,
       .versions = {{1, "ngram_size:int"}},
       .expand = expand_repeat_block},
      {.name = "NhwcConv",
       .domain = kMicrosoft,
       .versions = attributes_like("", "Conv", 1),
       .expand = expand_last_conv},
      {.name = "NhwcFusedConv",
       .domain = kMicrosoft,
       .versions = attributes_like(kMicrosoft, "FusedConv", 1),
       .expand = expand_last_fused_conv},
      {.name = "NhwcMaxPool",
       .domain = kMicrosoft,
       .versions = attributes_like("", "MaxPool", 12, "-storage_order"),
       .expand = expand_last_max_pool},
      {.name = "Pad", .domain = kMicrosoft, .versions = {{1, "mode:string"}}, .expand = expand_pad},
      {.name = "ParametricSoftplus", .versions = {{1, "alpha:float beta:float"}}, .expand = expand_parametric_softplus},
      {.name = "QAttention",
       .domain = kMicrosoft,
       .versions = attributes_like(kMicrosoft, "Attention", 1, "-qkv_hidden_sizes -rotary_embedding_dim"),
       .expand = expand_quantized_attention},
      {.name = "QEmbedLayerNormalization",
       .domain = kMicrosoft,
       .versions = attributes_like(kMicrosoft, "EmbedLayerNormalization", 1),
       .expand = expand_quantized_embedding},
      {.name = "QLinearAveragePool", .domain = kMicrosoft, .versions = {}, .expand = expand_last_average_pool},
      {.name = "QLinearConv",
       .domain = kMicrosoft,
       .versions = attributes_like("", "QLinearConv", 10, "channels_last:int"),
       .expand = expand_last_quantized_conv},
      {.name = "QLinearWhere", .domain = kMicrosoft, .versions = {1}, .expand = expand_where},
      {.name = "QMoE",
       .domain = kMicrosoft,
       .versions = {{1, kOfExperts + " block_size:int expert_weight_bits:int quant_type:string"}},
       .expand = expand_quantized_experts},
      {.name = "QuantizeLinear", .domain = kMicrosoft, .versions = {}, .expand = expand_same},
      {.name = "Range", .domain = kMicrosoft, .versions = {1}, .expand = expand_range},
      {.name = "Scale", .versions = {{1, "scale:float"}}, .expand = expand_scale},
      {.name = "ScaledTanh", .versions = {{1, "alpha:float beta:float"}}, .expand = expand_scaled_tanh},
      {.name = "SkipGroupNorm",
       .domain = kMicrosoft,
       .versions = {{1, kOfGroupNorm}},
       .expand = expand_skip_group_norm},
      {.name = "Unique", .domain = kMicrosoft, .versions = {1}, .expand = expand_unique},
      {.name = "WordConvEmbedding",
       .domain = kMicrosoft,
       .versions = {{1, "char_embedding_size:int conv_window_size:int embedding_size:int"}},
       .expand = expand_word_embedding},
  };
  return rows;
}

}  // namespace

void expand_composites(Graph& graph, const PassOptions&) {
  NodeOrder order(graph);
  order.each_node([&](NodeId id) {
    for (const auto& composite : composites()) {
      const Node& node = graph.nodes[size_t(id)];
      if (node.domain != composite.domain || node.op != composite.name) continue;
      Expansion expansion(graph, order, id);
      composite.expand(expansion);
    }
  });
}

std::vector<ExpandedOperator> expanded_composites() { return without_row_in_table(composites()); }

}  // namespace cppgen::passes
